export { ifAbsent, withFileLock } from "./file-lock.js";
export { createPrivateFolder } from "./private-folder.js";
export { missingFolderProblem, privateFileProblem, privateFolderProblem, sharingProblem } from "./private-path.js";
export { codeOf, readCheckedFile } from "./read-file.js";
export {
  createPrivateFile,
  removeTemporaries,
  replacePrivateFile,
  type Temporary,
  temporariesIn,
} from "./replace-file.js";

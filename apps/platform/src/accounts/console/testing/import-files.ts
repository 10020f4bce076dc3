import { createCipheriv, createHmac, pbkdf2Sync, randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";

/** Returns the password of a login in a file that is imported. */
export function passwordOf(index: number): string {
  return `hunter2-${index}`;
}

/** Returns a file of Bitwarden with a password: PBKDF2, and AES-CBC-256 with HMAC-SHA-256. */
export async function encryptedBitwarden(password: string, content: string): Promise<string> {
  const salt = randomBytes(16).toString("base64");
  const iterations = 10_000;
  const key = pbkdf2Sync(password, salt, iterations, 32, "sha256");
  const expand = (info: string) => createHmac("sha256", key).update(`${info}\u0001`).digest();
  const seal = (text: string) => {
    const iv = randomBytes(16);
    const cipher = createCipheriv("aes-256-cbc", expand("enc"), iv);
    const ciphertext = Buffer.concat([cipher.update(text), cipher.final()]);
    const mac = createHmac("sha256", expand("mac")).update(iv).update(ciphertext).digest();
    return `2.${[iv, ciphertext, mac].map((part) => part.toString("base64")).join("|")}`;
  };
  return JSON.stringify({
    encrypted: true,
    passwordProtected: true,
    salt,
    kdfType: 0,
    kdfIterations: iterations,
    encKeyValidation_DO_NOT_EDIT: seal("check"),
    data: seal(content),
  });
}

/** Returns a zip file with one entry, which is stored uncompressed. */
export function smallZip(name: string, text: string): Buffer {
  const content = Buffer.from(text);
  const common = Buffer.alloc(26);
  common.writeUInt16LE(20, 0);
  common.writeUInt32LE(crc32(content), 10);
  common.writeUInt32LE(content.byteLength, 14);
  common.writeUInt32LE(content.byteLength, 18);
  common.writeUInt16LE(name.length, 22);
  const local = Buffer.concat([Buffer.from("PK\u0003\u0004"), common, Buffer.from(name), content]);
  const central = Buffer.concat([
    Buffer.from("PK\u0001\u0002\u0014\u0000"),
    common,
    Buffer.alloc(14),
    Buffer.from(name),
  ]);
  const end = Buffer.alloc(22);
  end.write("PK\u0005\u0006");
  end.writeUInt16LE(1, 8);
  end.writeUInt16LE(1, 10);
  end.writeUInt32LE(central.byteLength, 12);
  end.writeUInt32LE(local.byteLength, 16);
  return Buffer.concat([local, central, end]);
}

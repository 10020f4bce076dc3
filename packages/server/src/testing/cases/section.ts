/** The section that decides a row, such as "DECISIONS section 3, rule 1". */
export type Section = `${"DECISIONS" | "INTERNAL" | "OAuth" | "RFC" | "SPEC"}${"," | ""} ${string}`;

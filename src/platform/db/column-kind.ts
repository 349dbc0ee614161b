/**
 * What a column holds. `serial`: a key that the database assigns. `int0`: 0 unless given. `text(n)`: at most n characters,
 * `text`: up to 16 MB. `?`: may be null.
 */
export type ColumnKind = "serial" | "int" | "int0" | "int?" | TextKind | `${TextKind}?`;

type TextKind = "text" | `text(${number})`;

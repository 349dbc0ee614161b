/**
 * What of an OpenAPI document breaks clients of an older one, a sentence each. What clients send must still be taken,
 * and what they are sent must still be what they know. More values of an enumeration in answers break none.
 */
type Schema = {
  $ref?: string;
  type?: string | string[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  const?: unknown;
  enum?: unknown[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  additionalProperties?: Schema | boolean;
  format?: string;
  pattern?: string;
};
type Content = Record<string, { schema?: Schema }>;
type Parameter = { name: string; in: string; required?: boolean; schema: Schema };
type Operation = {
  operationId: string;
  security?: Record<string, string[]>[];
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content: Content };
  responses: Record<
    string,
    { $ref?: string; content?: Content; headers?: Record<string, { required?: boolean }> }
  >;
};
export type ApiDocument = {
  paths: Record<string, Record<string, Operation>>;
  /** What the server sends. */
  webhooks?: Record<string, { post: Pick<Operation, "requestBody"> }>;
  components: { schemas: Record<string, Schema>; responses: Record<string, Operation["responses"][string]> };
};

type Side = { document: ApiDocument; schema: Schema };
type Way = "sent" | "answered";

const LEAST = ["minimum", "exclusiveMinimum", "minLength", "minItems"];
const MOST = ["maximum", "exclusiveMaximum", "maxLength", "maxItems"];

function resolve({ document, schema }: Side): Schema {
  if (schema.$ref === undefined) return schema;
  const { $ref, ...beside } = schema;
  return { ...document.components.schemas[$ref.split("/").at(-1)!]!, ...beside };
}

/** Without alternatives, which are several, and without several types. */
function alternatives(side: Side): Side[] {
  const { anyOf, oneOf, ...schema } = resolve(side);
  const { document } = side;
  if (anyOf ?? oneOf) return (anyOf ?? oneOf)!.flatMap((one) => alternatives({ document, schema: one }));
  const types = [schema.type].flat() as string[];
  return types.map((type) => ({ document, schema: type === undefined ? schema : { ...schema, type } }));
}

/** Where `given` may be what `known` is not, by the nearest alternative. Each pair of named schemas is judged once. */
function unfit(given: Side, known: Side, way: Way, at: string, seen: Set<string>): string[] {
  const pair = [given.schema.$ref, known.schema.$ref];
  if (pair.every((name) => name !== undefined)) {
    if (seen.has(pair.join())) return [];
    seen = new Set([...seen, pair.join()]);
  }
  const choices = alternatives(known);
  return alternatives(given).flatMap((one) => {
    const judged = choices.map((choice) => unfitOne(one, choice, way, at, seen));
    return judged.toSorted((a, b) => a.length - b.length)[0] ?? [];
  });
}

function unfitOne(given: Side, known: Side, way: Way, at: string, seen: Set<string>): string[] {
  const [one, other] = [given.schema, known.schema];
  const values = (schema: Schema) => ("const" in schema ? [schema.const] : schema.enum);
  const found: string[] = [];
  const isWhole = one.type === "integer" && other.type === "number";
  // The empty ones make it the last choice.
  if (other.type !== undefined && one.type !== other.type && !isWhole)
    return [`${at} is ${way} as ${one.type ?? "anything"}, not only as ${other.type}`, "", ""];
  const [sent, taken] = [values(one), values(other)];
  const isMissing = (value: unknown) => !taken!.includes(value);
  if (way === "sent" && taken !== undefined && (sent === undefined || sent.some(isMissing)))
    found.push(`${at} is one of ${taken.join(", ")} only`);
  if (other.format !== undefined && one.format !== other.format)
    found.push(`${at} has the format ${other.format}`);
  if (way === "sent") found.push(...narrowed(one as Bounds, other as Bounds, at));
  const next = (a: Schema, b: Schema, place: string) =>
    unfit({ document: given.document, schema: a }, { document: known.document, schema: b }, way, place, seen);
  if (one.items && other.items) found.push(...next(one.items, other.items, `${at}[]`));
  if (typeof one.additionalProperties === "object" && typeof other.additionalProperties === "object")
    found.push(...next(one.additionalProperties, other.additionalProperties, `${at}{}`));
  for (const name of other.required ?? [])
    if (!one.required?.includes(name))
      found.push(`${at}.${name} is ${way === "sent" ? "required" : "not always there"}`);
  const [older, newer] = way === "sent" ? [one, other] : [other, one];
  for (const name of Object.keys(older.properties ?? {})) {
    const [mine, theirs] = [one.properties?.[name], other.properties?.[name]];
    if (mine && theirs) found.push(...next(mine, theirs, `${at}.${name}`));
    else if (newer.properties !== undefined) found.push(`${at}.${name} is gone`);
  }
  return found;
}

type Bounds = Record<string, number | string | undefined>;

function narrowed(one: Bounds, other: Bounds, at: string): string[] {
  const isNarrower = (bound: string, sign: 1 | -1) =>
    other[bound] !== undefined && !(Number(one[bound]) * sign <= Number(other[bound]) * sign);
  const bounds = [
    ...MOST.filter((bound) => isNarrower(bound, 1)),
    ...LEAST.filter((bound) => isNarrower(bound, -1)),
  ];
  if (other["pattern"] !== undefined && one["pattern"] !== other["pattern"]) bounds.push("pattern");
  return bounds.map((bound) => `${at} has the ${bound} ${other[bound]}`);
}

const keyOf = (parameter: Parameter): string => `${parameter.in} ${parameter.name}`;

/** @param base what clients know */
export function breakingChanges(base: ApiDocument, now: ApiDocument): string[] {
  const found: string[] = [];
  const judge = (older: Schema | undefined, newer: Schema | undefined, way: Way, at: string) => {
    if (older === undefined || newer === undefined) return;
    const [before, after] = [
      { document: base, schema: older },
      { document: now, schema: newer },
    ];
    const [given, known] = way === "sent" ? [before, after] : [after, before];
    found.push(...unfit(given, known, way, at, new Set()).filter(Boolean));
  };
  const judgeContent = (older: Content = {}, newer: Content = {}, way: Way, at: string) => {
    for (const [type, { schema }] of Object.entries(older)) {
      if (newer[type] === undefined) found.push(`${at} has no ${type}`);
      else judge(schema, newer[type].schema, way, at);
    }
  };
  const judgeOperation = (at: string, older: Operation, newer: Operation) => {
    if (older.operationId !== newer.operationId) found.push(`${at} is called ${newer.operationId}`);
    const allowed = (older.security ?? []).every((way) =>
      newer.security?.some((one) =>
        Object.entries(one).every(
          ([name, scopes]) => scopes.every((scope) => way[name]?.includes(scope)) && way[name],
        ),
      ),
    );
    if (!allowed || (older.security?.length === 0 && newer.security?.length !== 0))
      found.push(`${at} asks for another sign-in`);
    const known = new Map((older.parameters ?? []).map((one) => [keyOf(one), one]));
    const taken = new Map((newer.parameters ?? []).map((one) => [keyOf(one), one]));
    for (const [key, one] of taken)
      if (one.required && !known.get(key)?.required) found.push(`${at} ${key} is required`);
    for (const [key, one] of known) {
      if (!taken.has(key)) found.push(`${at} ${key} is gone`);
      else judge(one.schema, taken.get(key)!.schema, "sent", `${at} ${key}`);
    }
    if (newer.requestBody?.required && !older.requestBody?.required) found.push(`${at} body is required`);
    judgeContent(older.requestBody?.content, newer.requestBody?.content, "sent", `${at} body`);
    for (const [status, answer] of Object.entries(older.responses)) {
      const other = newer.responses[status];
      if (other === undefined && Number(status) < 400) found.push(`${at} ${status} is gone`);
      if (other === undefined) continue;
      judgeContent(answer.content, other.content, "answered", `${at} ${status}`);
      for (const [name, { required }] of Object.entries(answer.headers ?? {}))
        if (required && !other.headers?.[name]?.required) found.push(`${at} ${status} lacks ${name}`);
    }
  };
  for (const [name, { post }] of Object.entries(base.webhooks ?? {})) {
    const other = now.webhooks?.[name];
    if (other === undefined) found.push(`${name} is gone`);
    else judgeContent(post.requestBody?.content, other.post.requestBody?.content, "answered", name);
  }
  for (const [path, methods] of Object.entries(base.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const at = `${method.toUpperCase()} ${path}`;
      const other = now.paths[path]?.[method];
      if (other === undefined) found.push(`${at} is gone`);
      else judgeOperation(at, operation, other);
    }
  }
  return found;
}

/** Also where `crypto.randomUUID` is missing, as over plain HTTP. */
export const randomName = (): string =>
  [...crypto.getRandomValues(new Uint32Array(4))].map((part) => part.toString(36)).join("-");

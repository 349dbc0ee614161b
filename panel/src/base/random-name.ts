/** Works without `crypto.randomUUID`, which is missing over plain HTTP. */
export const randomName = (): string =>
  [...crypto.getRandomValues(new Uint32Array(4))].map((part) => part.toString(36)).join("-");

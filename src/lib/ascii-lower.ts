/**
 * Names, addresses and hosts are compared in lower case of A to Z alone. `toLowerCase` also lowers U+212A, the sign of
 * kelvin, to `k`, so that two different addresses would be one.
 */
export const asciiLower = (text: string): string =>
  text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());

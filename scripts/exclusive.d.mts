export function exclusively<T>(
  path: string,
  options: { waiting: string; work: () => T | Promise<T> },
): Promise<T>;

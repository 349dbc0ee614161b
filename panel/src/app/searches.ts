export const readQ = ({ q }: Record<string, unknown>): { q?: string } =>
  typeof q === "string" && q !== "" ? { q } : {};

/** What another app shared (src/panel/web-app.ts). */
export function readShared(search: Record<string, unknown>) {
  const { url, text, title, files } = search;
  return {
    ...(typeof url === "string" && { url }),
    ...(typeof text === "string" && { text }),
    ...(typeof title === "string" && { title }),
    ...(typeof files === "number" && { files }),
  };
}

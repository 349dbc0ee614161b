/** The calls of a client of resumable uploads. */
import type { DriveClient } from "./drive.ts";

type Bytes = Uint8Array<ArrayBuffer>;
export type TusCalls = ReturnType<typeof tusCalls>;

export function tusCalls({ send }: Pick<DriveClient, "send">, timeoutMs = 120_000) {
  const call = (path: string, method: string, headers: Record<string, string> = {}, body?: Bytes) =>
    send(path, {
      method,
      headers: { "Tus-Resumable": "1.0.0", ...headers },
      ...(body !== undefined && { body }),
      signal: AbortSignal.timeout(timeoutMs),
    });
  return {
    /** The path is in the header Location. Without a length it follows later. */
    begin(name: string, length: number | null, folder: number | null): Promise<Response> {
      const metadata = { filename: name, ...(folder !== null && { folder_id: String(folder) }) };
      const pairs = Object.entries(metadata).map(([key, value]) => `${key} ${btoa(value)}`);
      return call("/files/tus", "POST", {
        ...(length === null ? { "Upload-Defer-Length": "1" } : { "Upload-Length": String(length) }),
        "Upload-Metadata": pairs.join(","),
      });
    },
    /** The offset is in the header Upload-Offset. */
    head: (path: string): Promise<Response> => call(path, "HEAD"),
    patch: (
      path: string,
      offset: number,
      bytes: Bytes,
      more: Record<string, string> = {},
    ): Promise<Response> =>
      call(
        path,
        "PATCH",
        { "Content-Type": "application/offset+octet-stream", "Upload-Offset": String(offset), ...more },
        bytes,
      ),
    end: (path: string): Promise<Response> => call(path, "DELETE"),
  };
}

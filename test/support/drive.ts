/** Calls the file endpoints, which lie at the root, as one account of a running server. */
import type { Envelope } from "./session.ts";

export type DriveClient = ReturnType<typeof driveClient>;

export function driveClient(url: string, token: string) {
  const send = (path: string, init: RequestInit = {}): Promise<Response> => {
    const headers = new Headers(init.headers);
    headers.set("Authorization", `Bearer ${token}`);
    return fetch(url + path, { redirect: "manual", ...init, headers });
  };
  const call = async (
    method: string,
    path: string,
    body?: unknown,
  ): Promise<{ status: number; body: Envelope }> => {
    const answer = await send(path, { method, ...(body !== undefined && { body: JSON.stringify(body) }) });
    return { status: answer.status, body: (await answer.json()) as Envelope };
  };
  return {
    token,
    send,
    call,
    /** The status and code of an error answer. */
    async refusal(method: string, path: string, body?: unknown): Promise<[number, number]> {
      const answer = await call(method, path, body);
      return [answer.status, answer.body.code];
    },
    folder: async (name: string, parentId: number | null = null): Promise<number> =>
      (await call("POST", "/folders", { name, parent_id: parentId })).body.data.id,
    /** As a browser uploads it. */
    async upload(name: string, content: string | Uint8Array<ArrayBuffer>, { folder = "", type = "" } = {}) {
      const form = new FormData();
      form.append("file", new File([content], name, { type }), name);
      const answer = await send(`/files/upload${folder && `?folder_id=${folder}`}`, {
        method: "POST",
        body: form,
      });
      return { status: answer.status, body: (await answer.json()) as Envelope };
    },
  };
}

const BOUNDARY = "----test-boundary";
export const FORM_TYPE = `multipart/form-data; boundary=${BOUNDARY}`;

/** A hand-written form from the heads and bodies of its parts. */
export const formOf = (...parts: [head: string, body: string][]): Buffer =>
  Buffer.from(
    `${parts.map(([head, body]) => `--${BOUNDARY}\r\n${head}\r\n\r\n${body}\r\n`).join("")}--${BOUNDARY}--\r\n`,
  );

export const fileHead = (filename: string, type = "text/plain"): string =>
  `Content-Disposition: form-data; name="file"; filename="${filename}"${type && `\r\nContent-Type: ${type}`}`;

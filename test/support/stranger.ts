import { whenAllowed } from "./session.ts";

/** A visitor of a drop box who has no account. */
export const HTML = { Accept: "text/html,application/xhtml+xml" };
export const TUS = { "Tus-Resumable": "1.0.0" };

const isBelow = (path: string, top: string): boolean =>
  path === top || path.startsWith(top.endsWith("/") ? top : `${top}/`);

/** A browser or program with its cookies, which it sends to their paths. */
export function stranger(more: Record<string, string> = {}) {
  const jar = new Map<string, string>();
  const paths = new Map<string, string>();
  const send = async (url: string, init: RequestInit = {}): Promise<Response> => {
    const { pathname } = new URL(url);
    const sent = [...jar].filter(([name]) => isBelow(pathname, paths.get(name) ?? "/"));
    const cookie = sent.map(([name, value]) => `${name}=${value}`).join("; ");
    const headers = { ...more, ...(cookie && { Cookie: cookie }), ...init.headers };
    const answer = await fetch(url, { redirect: "manual", ...init, headers });
    for (const line of answer.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
      jar.set(name!, value!);
      paths.set(name!, /; Path=([^;]+)/.exec(line)?.[1] ?? "/");
    }
    return answer;
  };
  return {
    jar,
    send,
    /** With a password. */
    unlock: (url: string, password: string) =>
      whenAllowed(() =>
        send(url, { method: "POST", body: new URLSearchParams({ password }), headers: HTML }),
      ),
    page: async (url: string) => (await send(url, { headers: HTML })).text(),
    put(
      url: string,
      files: Record<string, string | Uint8Array<ArrayBuffer>>,
      person = "",
      headers = {},
      email = "",
    ) {
      const form = new FormData();
      form.append("sender_name", person);
      form.append("sender_email", email);
      for (const [name, content] of Object.entries(files)) form.append("file", new File([content], name));
      return send(url, { method: "POST", body: form, headers });
    },
    begin: (url: string, name: string, size: number, person = "", email = "") =>
      send(url, {
        method: "POST",
        headers: {
          ...TUS,
          "Upload-Length": String(size),
          "Upload-Metadata": `filename ${btoa(name)},sender_name ${btoa(person)},sender_email ${btoa(email)}`,
        },
      }),
    append: (url: string, offset: number, bytes: string) =>
      send(url, {
        method: "PATCH",
        headers: {
          ...TUS,
          "Upload-Offset": String(offset),
          "Content-Type": "application/offset+octet-stream",
        },
        body: bytes,
      }),
  };
}

/** Sends a CSV file and reports progress, first of sending, then of the work. */
import { responseOf, api, ApiError, csrfHeader, type Failure, type ImportResult } from "../../base/api.ts";
import { ADMIN_PREFIX, SERVER_URL } from "../../base/place.ts";

export type ImportStage = "sending" | "passwords" | "links";
export type ImportStep = { stage: ImportStage; share: number };

type ImportRequest = {
  file: Blob;
  fields: Record<string, string>;
  signal: AbortSignal;
  onStep(step: ImportStep): void;
};

type ImportResponse = Partial<Failure> & { data?: ImportResult };
const LINE = /\{"stage":"(passwords|links)","done":(\d+),"total":(\d+)\}/g;

/** @throws ApiError */
export async function sendCsv(request: ImportRequest): Promise<ImportResult> {
  // Renews an ended session, or asks to sign in, before the file is sent.
  await responseOf(api.GET("/admin/v1/auth/me", { signal: request.signal }));
  const { status, text } = await upload(request);
  const reported = parsed(text);
  if (status === 200 && reported.data !== undefined) return reported.data;
  throw new ApiError(status === 200 ? 500 : status, reported);
}

function parsed(text: string): ImportResponse {
  try {
    return JSON.parse(text) as ImportResponse;
  } catch {
    return {};
  }
}

/** With XMLHttpRequest, because fetch reports no upload progress. */
function upload({ file, fields, signal, onStep }: ImportRequest): Promise<{ status: number; text: string }> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  form.set("file", file, "links.csv");
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", `${SERVER_URL}${ADMIN_PREFIX}/v1/links/import`);
    // Rows with cells that can't be read fail.
    request.setRequestHeader("Prefer", "handling=strict");
    for (const [name, value] of Object.entries(csrfHeader())) request.setRequestHeader(name, value);
    request.upload.addEventListener("progress", ({ loaded, total }) =>
      onStep({ stage: "sending", share: total === 0 ? 0 : loaded / total }),
    );
    request.upload.addEventListener("load", () => onStep({ stage: "links", share: 0 }));
    request.addEventListener("progress", () => {
      const last = [...request.responseText.slice(-1000).matchAll(LINE)].at(-1);
      if (last) onStep({ stage: last[1] as ImportStage, share: Number(last[2]) / Number(last[3]) });
    });
    request.addEventListener("load", () => resolve({ status: request.status, text: request.responseText }));
    request.addEventListener("error", () => reject(new ApiError(0, {})));
    request.addEventListener("abort", () => reject(new DOMException("Given up", "AbortError")));
    signal.addEventListener("abort", () => request.abort());
    request.send(form);
  });
}

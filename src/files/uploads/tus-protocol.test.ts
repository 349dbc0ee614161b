import { describe, expect, test } from "bun:test";
import { AppError } from "../../lib/errors.ts";
import { readBytes, readChecksum, readMetadata, refusal, verify } from "./tus-protocol.ts";
import { readCreation } from "./tus-request.routes.ts";

const encode = (text: string) => Buffer.from(text).toString("base64");
const nameOf = (call: () => unknown): string => {
  try {
    call();
  } catch (error) {
    if (error instanceof AppError) return error.name;
    throw error;
  }
  return "no error";
};

describe("Upload-Metadata", () => {
  test("has pairs; a key may have no value", () => {
    const found = readMetadata(`filename ${encode("ä b.txt")}, is_confidential,empty ,x ${encode("y")}`);
    expect([...found]).toEqual([
      ["filename", "ä b.txt"],
      ["is_confidential", ""],
      ["empty", ""],
      ["x", "y"],
    ]);
    expect(readMetadata(undefined).size).toBe(0);
    expect(readMetadata(" ").size).toBe(0);
    expect(readMetadata("name YQ").get("name")).toBe("a");
  });

  test.each(["a YQ==,a YQ==", "a b c", "a YQ=", "a Y", "a !", ",", "ä YQ==", "a /w==", "a YQ==,"])(
    "is not %p",
    (text) => expect(nameOf(() => readMetadata(text))).toBe("BadRequest"),
  );
});

test("the media type of an upload has no parameters, as that of other uploads", () => {
  const typeOf = (type: string) => {
    const metadata = `filename ${encode("a")},filetype ${encode(type)}`;
    return readCreation(new Headers({ "Upload-Length": "1", "Upload-Metadata": metadata })).mimeType;
  };
  expect(typeOf("audio/webm;codecs=opus")).toBe("audio/webm");
  expect(typeOf(" Text/Plain ; charset=utf-8")).toBe("text/plain");
});

describe("numbers of bytes", () => {
  test("are whole and exact", () => {
    expect(readBytes("Upload-Length", "0")).toBe(0);
    expect(readBytes("Upload-Length", "9007199254740991")).toBe(Number.MAX_SAFE_INTEGER);
  });
  test.each([undefined, "", "-1", "+1", "1.0", "1e3", "0x1", " 1", "9007199254740992", "1".repeat(40)])(
    "are not %p",
    (text) => expect(nameOf(() => readBytes("Upload-Length", text))).toBe("BadRequest"),
  );
});

describe("Upload-Checksum", () => {
  const bytes = [Buffer.from("hel"), Buffer.from("lo")];
  const sha1 = "qvTGHdzF6KLavt4PO0gs2a6pQ00=";

  test("matches the bytes, or is refused with 460", () => {
    expect(readChecksum(undefined)).toBeNull();
    verify(readChecksum(`sha1 ${sha1}`)!, bytes);
    const wrong = () => verify(readChecksum(`sha1 ${sha1}`)!, [Buffer.from("hellO")]);
    expect(wrong).toThrow(expect.objectContaining({ details: { status: 460 } }));
    expect(() => verify(readChecksum("sha256")!, bytes)).toThrow();
    expect(() => verify(readChecksum("md5 YQ==")!, bytes)).toThrow();
  });

  test.each(["crc32 YQ==", "sha1 !", "sha1 YQ== YQ==", "", "SHA1 YQ=="])("is not %p", (text) =>
    expect(nameOf(() => readChecksum(text))).toBe("BadRequest"),
  );
});

test("errors have the protocol's status codes", () => {
  expect(refusal(423, "Locked.", { retryAfterSeconds: 5 })).toMatchObject({
    name: "Conflict",
    details: { status: 423, retryAfterSeconds: 5 },
  });
});

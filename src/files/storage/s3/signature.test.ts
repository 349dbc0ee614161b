import { describe, expect, test } from "bun:test";
import { EMPTY_HASH, encodeTarget, presignTarget, signHeaders } from "./client.ts";

/** AWS's documented examples: sig-v4-header-based-auth.html and sigv4-query-string-auth.html */
const credentials = {
  accessKey: "AKIAIOSFODNN7EXAMPLE",
  secretKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
  region: "us-east-1",
};
const host = "examplebucket.s3.amazonaws.com";
const now = Date.UTC(2013, 4, 24);

describe("signatures equal those of the documented examples", () => {
  test.each([
    [
      "GET with a range",
      { method: "GET", path: "/test.txt", headers: { Range: "bytes=0-9" }, payloadHash: EMPTY_HASH },
      "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
    ],
    [
      "PUT with a character to encode",
      {
        method: "PUT",
        path: "/test$file.text",
        headers: { Date: "Fri, 24 May 2013 00:00:00 GMT", "x-amz-storage-class": "REDUCED_REDUNDANCY" },
        payloadHash: "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072",
      },
      "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd",
    ],
    [
      "GET of a subresource",
      { method: "GET", path: "/", query: { lifecycle: "" }, payloadHash: EMPTY_HASH },
      "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543",
    ],
    [
      "GET of a list",
      { method: "GET", path: "/", query: { prefix: "J", "max-keys": "2" }, payloadHash: EMPTY_HASH },
      "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7",
    ],
  ])("%s", (_name, request, signature) => {
    const { authorization, ...headers } = signHeaders({ ...request, host }, credentials, now);
    expect(authorization).toEndWith(`Signature=${signature}`);
    expect(authorization).toContain("Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request");
    expect(headers["x-amz-date"]).toBe("20130524T000000Z");
  });

  test("a presigned GET", () => {
    expect(presignTarget({ method: "GET", host, path: "/test.txt" }, credentials, now, 86_400)).toBe(
      "/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404",
    );
  });
});

test("targets encode everything except unreserved characters, once", () => {
  expect(encodeTarget({ path: "/b/ü a+(b)*/~c.d_e-f%2F", query: { b: "=&", a: "" } })).toBe(
    "/b/%C3%BC%20a%2B%28b%29%2A/~c.d_e-f%252F?a=&b=%3D%26",
  );
});

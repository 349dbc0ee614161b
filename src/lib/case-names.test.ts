import { expect, test } from "bun:test";
import { z } from "zod";
import { camelCased, createView, snakeCased } from "./case-names.ts";

test("fields change their case and keep their values", () => {
  const row = { id: 1, not_found_url: null, sha256: "x", created_at: 5 };
  const fields = { id: 1, notFoundUrl: null, sha256: "x", createdAt: 5 };
  expect(camelCased(row)).toEqual(fields);
  expect(snakeCased(fields)).toEqual(row);
});

test("a view shows the fields of its schema, times as RFC 3339", () => {
  const view = createView(
    z.object({
      id: z.int(),
      max_size: z.int(),
      at: z.iso.datetime(),
      used_at: z.iso.datetime().nullable(),
    }),
  );
  const secret = { id: 1, maxSize: 2, at: 0, usedAt: null, passwordHash: "secret" };
  expect(view(secret)).toEqual({ id: 1, max_size: 2, at: "1970-01-01T00:00:00.000Z", used_at: null });
  expect(view({ ...secret, usedAt: 1_000 }).used_at).toBe("1970-01-01T00:00:01.000Z");
});

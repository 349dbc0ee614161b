import { expect, test } from "bun:test";
import { join } from "node:path";
import { startS3Stub } from "./stub.test-support.ts";

test("an object that can't be opened does not keep the process alive", async () => {
  const stub = await startS3Stub();
  const program = `
    import { systemClock } from "${join(import.meta.dir, "../../../lib/clock.ts")}";
    import { parseEndpoint } from "${join(import.meta.dir, "endpoint.ts")}";
    import { createS3Driver } from "${join(import.meta.dir, "s3.ts")}";
    const driver = createS3Driver({
      endpoint: parseEndpoint("http://127.0.0.1:${stub.port}"),
      bucket: "bucket",
      credentials: { accessKey: "key", secretKey: "secret", region: "us-east-1" },
      clock: systemClock,
      prefix: "",
      pace: { stallMs: 600_000 },
    });
    await driver.open("ab/cd/none", { size: 5 }).catch(({ name }) => console.log(name));`;
  const child = Bun.spawn([process.execPath, "-e", program], { stdout: "pipe" });
  expect(await new Response(child.stdout).text()).toBe("StorageUnavailable\n");
  expect(await child.exited).toBe(0);
  await stub.close();
});

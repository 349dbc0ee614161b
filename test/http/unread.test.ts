/** Clients that ask for public answers and do not read them. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { startSignedIn } from "../support/session.ts";
import { dial } from "../support/wire.ts";
import { ask, memoryOf, request, startOnWire, type WireInstance } from "../support/wire-instance.ts";

const MANY = 150;
const PIPELINED = 20;

let here: WireInstance;
beforeAll(async () => {
  here = await startOnWire(await startSignedIn());
});
afterAll(() => here.installation.remove());

test("many clients that do not read the API's document hold no copies of it", async () => {
  const asked = request("/admin/v1/openapi.json");
  const { body } = await ask(here.open(), asked);
  expect(body.length).toBeGreaterThan(100_000);
  const before = memoryOf(here.server);
  const wires = Array.from({ length: MANY }, () => dial(here.server.url, { isPaused: true }));
  for (const wire of wires) wire.send(asked.repeat(PIPELINED));
  // Answers are made in the order of the requests.
  for (let round = 0; round < 20; round++) await ask(here.open(), request("/nothing"));
  expect(memoryOf(here.server) - before).toBeLessThan(MANY * 0.25);
  for (const wire of wires) wire.hangUp();
});

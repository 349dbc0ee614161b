/** The page of webhooks in the panel, with a receiver on loopback. */
import { afterAll, beforeAll, expect } from "bun:test";
import { focused, once, startPanel } from "../support/panel.ts";
import { until } from "../support/until.ts";

let panel: Awaited<ReturnType<typeof startPanel>>;
let receiver: ReturnType<typeof Bun.serve>;
let status = 204;
let heard = 0;

beforeAll(async () => {
  receiver = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch() {
      heard++;
      return new Response(status === 500 ? "The queue is full" : null, { status });
    },
  });
  panel = await startPanel({ WAYMARK__WEBHOOKS__ALLOW_PRIVATE: "true" });
});
afterAll(async () => {
  await panel.stop();
  await receiver.stop(true);
});

once(
  "an administrator adds a webhook, copies its secret, tests it, reads its log and sends again",
  async () => {
    const { page, complaints, close } = await panel.enter("/panel/webhooks");
    await page.getByRole("button", { name: "New webhook" }).click();
    const form = page.getByRole("dialog");
    const url = `http://127.0.0.1:${receiver.port}/hook`;
    await form.getByLabel("Address").fill(url);
    await form.getByLabel("Link created").check();
    await form.getByRole("button", { name: "Create" }).click();
    await page.getByText(/^whsec_/).waitFor();
    await page.getByRole("button", { name: `Log of ${url}` }).click();
    await page.getByText("Nothing was sent in the last 30 days.").waitFor();
    status = 500;
    await page.getByRole("button", { name: "Send a test" }).click();
    await page.getByText("The response is 500.").waitFor();
    await page.getByRole("button", { name: /^Request and response 500 · \d+ ms$/ }).click();
    await page.getByRole("region", { name: "Response" }).getByText("The queue is full").waitFor();
    await page.getByRole("region", { name: "Request" }).getByText('"type": "webhook.test"').waitFor();
    status = 204;
    await page.getByRole("button", { name: /^Send webhook.test/ }).click();
    await page.getByText("Delivered", { exact: true }).waitFor();
    expect(heard).toBe(2);
    for (const code of ["one", "two"])
      await panel.client.call("POST", "/links", { code, target: "https://example.com/" });
    await until(() => heard === 4);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: `Log of ${url}` }).click();
    await page.getByRole("button", { name: "All since then" }).last().click();
    await page.getByText(/^This event and all later ones/).waitFor();
    await page.getByRole("button", { name: "All since then" }).last().click();
    await until(() => heard === 6);
    await page.keyboard.press("Escape");
    await focused(page.getByRole("button", { name: `Log of ${url}` }));
    await page.getByRole("button", { name: `Edit ${url}` }).click();
    await form.getByRole("switch", { name: "Enabled" }).click();
    await form.getByRole("button", { name: "Save" }).click();
    await page.getByText("By request.").filter({ visible: true }).waitFor();
    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByText("There are no webhooks yet.").waitFor();
    await until(async () => (await panel.client.call("GET", "/webhooks")).body.data.length === 0);
    expect(complaints).toEqual([]);
    await close();
  },
);

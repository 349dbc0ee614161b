/**
 * Tells a story of links, numbers and files over a fresh server with generated clients (client-stories.d/): the packed
 * TypeScript client, installed into a new project, under Node, Bun, Deno and in Chromium, and the clients that
 * openapi-python-client and oapi-codegen make of the document, the former also as the package of clients/python. Says what is not installed and left out.
 */
import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { chromium } from "playwright-core";
import { CHROMIUM } from "../test/support/chromium.ts";
import { PASSWORD, signIn } from "../test/support/session.ts";
import { install } from "../test/support/waymark.ts";
import { newApiDocument } from "./openapi.ts";
import { installWheel } from "./python-client.ts";
import { installGo, installPython, runWell } from "./tools.ts";

const ROOT = join(import.meta.dir, "..");
const STORIES = join(import.meta.dir, "client-stories.d");
const NPM = ["--no-audit", "--no-fund", "--prefer-offline", "--ignore-scripts"];

type Server = { url: string; token: string };

/** A new project with the packed client, and the story as JavaScript. */
async function newProject(folder: string): Promise<void> {
  const client = join(ROOT, "clients", "typescript");
  const packed = await runWell(["npm", "pack", "--silent", "--pack-destination", folder], client);
  await Bun.write(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }));
  await runWell(["npm", "install", join(folder, packed.trim()), ...NPM], folder);
  await Bun.write(join(folder, "story.ts"), Bun.file(join(STORIES, "story.ts")));
  const compilerOptions = {
    strict: true,
    target: "ES2022",
    lib: ["ES2022", "DOM", "DOM.Iterable"],
    module: "NodeNext",
    types: [],
  };
  await Bun.write(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["story.ts"] }));
  const compiler = join(client, "node_modules", "typescript", "bin", "tsc");
  await runWell([process.execPath, compiler], folder);
}

const main = (server: Server, name: string): string =>
  `import { story } from "./story.js";\nconsole.log(await story(${JSON.stringify({ ...server, name })}));\n`;

async function tellIn(command: readonly string[], folder: string, server: Server): Promise<void> {
  const name = basename(command[0]!, ".exe");
  await Bun.write(join(folder, `${name}.mjs`), main(server, name));
  await runWell([...command, `${name}.mjs`], folder);
  console.log(`told by ${name}`);
}

/** On a page of the server's own origin: it answers no other. */
async function tellInBrowser(folder: string, server: Server): Promise<void> {
  const browser = await chromium.launch({ executablePath: CHROMIUM!, args: ["--no-sandbox"] });
  try {
    const page = await browser.newPage();
    await page.route("**/project/**", async (route) => {
      const path = join(folder, new URL(route.request().url()).pathname.slice("/project/".length));
      const isPage = path.endsWith(".html");
      await route.fulfill({ path, contentType: isPage ? "text/html" : "text/javascript" });
    });
    const imports = {
      "@waymark/client": "/project/node_modules/@waymark/client/dist/client.js",
      "openapi-fetch": "/project/node_modules/openapi-fetch/dist/index.mjs",
    };
    const map = `<script type="importmap">${JSON.stringify({ imports })}</script>`;
    await Bun.write(join(folder, "index.html"), `<!doctype html>${map}`);
    await page.goto(`${server.url}/project/index.html`);
    await page.evaluate(async (told) => (await import("/project/story.js" as string)).story(told), {
      ...server,
      name: "browser",
    });
    console.log("told by a browser");
  } finally {
    await browser.close();
  }
}

/** With the package of clients/python, and with the client that the generator makes without settings, which has fewer types. */
async function tellInPython(folder: string, server: Server): Promise<void> {
  const programs = await installPython("client-stories");
  const tell = async (name: string, path: string, story: string) => {
    const given = [server.url, server.token, PASSWORD, name];
    await runWell([join(programs, "python"), join(STORIES, story), ...given], folder, { PYTHONPATH: path });
    console.log(`told by ${name}`);
  };
  const document = join(folder, "openapi.json");
  await installWheel(document, join(folder, "python"));
  const site = join(folder, "python", "site");
  await tell("python", site, "story.py");
  await tell("python-package", site, "package.py");
  const plain = join(folder, "python-plain");
  const places = ["--path", document, "--output-path", join(plain, "waymark_client"), "--meta", "none"];
  await runWell([join(programs, "openapi-python-client"), "generate", ...places], folder);
  await tell("python-plain", plain, "story.py");
}

/** With the client that oapi-codegen makes without a configuration. */
async function tellInGo(folder: string, server: Server): Promise<void> {
  if (!(await installGo("client-stories"))) return console.log("not told by go, which is not installed");
  const project = join(folder, "go");
  cpSync(join(STORIES, "go"), project, { recursive: true });
  const client = join(project, "waymark", "client.gen.go");
  mkdirSync(dirname(client));
  const options = ["-generate", "types,client", "-package", "waymark", "-o", client];
  await runWell(["go", "tool", "oapi-codegen", ...options, join(folder, "openapi.json")], project);
  await runWell(["go", "run", ".", server.url, server.token], project);
  console.log("told by go");
}

const folder = mkdtempSync(join(tmpdir(), "waymark-stories-"));
const installation = install();
try {
  await runWell([process.execPath, join(import.meta.dir, "client.ts"), "--check"], ROOT);
  await installation.cli(["reset-password", "--stdin"], PASSWORD);
  const { url } = await installation.serve();
  const { body } = await (await signIn(url)).call("POST", "/tokens", {
    name: "stories",
    scopes: ["admin", "links:read", "links:write", "analytics:read", "files:read", "files:write"],
  });
  const server = { url, token: body.data.token };
  await newProject(folder);
  await tellIn(["node"], folder, server);
  await tellIn([process.execPath], folder, server);
  if (Bun.which("deno")) await tellIn(["deno", "run", "-A"], folder, server);
  else console.log("not told by deno, which is not installed");
  if (CHROMIUM) await tellInBrowser(folder, server);
  else console.log("not told by a browser, which is not installed");
  await Bun.write(join(folder, "openapi.json"), JSON.stringify(await newApiDocument()));
  await tellInPython(folder, server);
  await tellInGo(folder, server);
} finally {
  await installation.remove();
  rmSync(folder, { recursive: true, force: true });
}

import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse } from "smol-toml";
import { generateTemplate } from "../config/config.commands.ts";
import { createEnvReader, usedPaths } from "./env.ts";

const { settings, loadEnv, findMisspelledVariables } = createEnvReader([]);
const dir = mkdtempSync(join(tmpdir(), "waymark-env-"));
afterAll(() => rmSync(dir, { recursive: true }));

const load = (toml: string | null, processEnv: Record<string, string> = {}) => {
  const file = join(dir, "waymark.toml");
  rmSync(file, { force: true });
  if (toml !== null) writeFileSync(file, toml);
  return loadEnv({ cwd: dir, processEnv });
};

describe("start-up settings", () => {
  test("lists are arrays in the file, and separated by commas in a variable", () => {
    const roles = { WAYMARK__OIDC__ROLES: "staff=editor, *=user," };
    const env = load('[oidc]\nallowed_domains = ["example.com"]\n', roles);
    expect([env.oidc.allowedDomains, env.oidc.roles]).toEqual([["example.com"], ["staff=editor", "*=user"]]);
  });

  test("have defaults without file and environment", () => {
    const env = load(null);
    expect(env.server).toEqual({
      host: "127.0.0.1",
      port: 8080,
      unixSocket: null,
      tlsCert: null,
      tlsKey: null,
      acme: false,
      acmeEmail: "",
      acmeDirectory: "https://acme-v02.api.letsencrypt.org/directory",
      httpPort: 80,
      workers: 1,
    });
    expect(env.database).toEqual({
      url: `sqlite:${join(dir, "data", "waymark.db")}`,
      replicaUrl: null,
      poolSize: 10,
    });
    expect(Object.isFrozen(env.server)).toBe(true);
  });

  test("the environment overrides the file, the file the default", () => {
    const env = load('[server]\nport = 9000\nhost = "::1"\n', { WAYMARK__SERVER__PORT: "9001" });
    expect(env.server.port).toBe(9001);
    expect(env.server.host).toBe("::1");
  });

  test.each([
    ["sqlite:links.db", () => `sqlite:${join(dir, "links.db")}`],
    ["sqlite:///srv/links.db", () => "sqlite:/srv/links.db"],
    ["sqlite:/srv/links.db", () => "sqlite:/srv/links.db"],
    ["postgresql://u:p@h/d", () => "postgresql://u:p@h/d"],
    ["mysql://u@h:3307/d", () => "mysql://u@h:3307/d"],
    ["mariadb://u@h/d", () => "mariadb://u@h/d"],
  ])("database.url %s is absolute and keeps its scheme", (url, expected) => {
    const env = load(null, { WAYMARK__DATABASE__URL: url });
    expect(env.database.url).toBe(expected());
  });

  test.each([
    [
      '[server]\nhost = "a"\nprot = 1\n',
      "waymark.toml:3: unknown setting 'server.prot'; allowed: server.host, server.port",
    ],
    ['\n[server]\nport = "80"\n', "waymark.toml:3: 'server.port' must be a whole number from 0 to 65535"],
    ["[server]\nport = 70000\n", "waymark.toml:2: 'server.port' must be"],
    ['[cache]\ntype = "disk"\n', 'waymark.toml:2: \'cache.type\' must be "memory" or "redis"'],
    ['[database]\nurl = "oracle://x"\n', "waymark.toml:2: 'database.url' must be sqlite:PATH"],
    ["[server\n", "waymark.toml:1:"],
    ["port = 1\n", "waymark.toml:1: 'port' is outside of a section"],
    ["server.port = 0.5\n", "waymark.toml:1: 'server.port' must be"],
  ])("%j is refused with its place", (toml, message) => {
    expect(() => load(toml)).toThrow(message);
  });

  test("a wrong variable is refused with its name", () => {
    expect(() => load(null, { WAYMARK__SERVER__PROT: "1" })).toThrow(
      "environment variable WAYMARK__SERVER__PROT: unknown",
    );
    expect(() => load(null, { WAYMARK__SERVER__PORT: "x" })).toThrow(
      "WAYMARK__SERVER__PORT: 'server.port' must be",
    );
  });

  test.each([
    ["WAYMARK_SERVER_PORT", "WAYMARK__SERVER__PORT"],
    ["WAYMARK_SERVER__PORT", "WAYMARK__SERVER__PORT"],
    ["waymark__server__port", "WAYMARK__SERVER__PORT"],
    ["WAYMARK.SERVER.PORT", "WAYMARK__SERVER__PORT"],
    ["WAYMARK_DATABASE_URL", "WAYMARK__DATABASE__URL"],
    ["WAYMARK_SERVER_TLS_CERT", "WAYMARK__SERVER__TLS_CERT"],
  ])("the variable %s, which is ignored, is named with the setting %s", (variable, setting) => {
    expect(findMisspelledVariables({ [variable]: "1" })).toEqual([
      `The environment variable ${variable} is ignored: the setting is ${setting}.`,
    ]);
  });

  test("variables of other programs are not named", () => {
    const others = {
      WAYMARK__SERVER__PORT: "1",
      WAYMARK_SERVER_PORT: "tcp://10.0.0.1:80",
      WAYMARK_CONFIG: "a",
      WAYMARK_KEEP_DAYS: "1",
      SERVER_PORT: "1",
      WAYMARKET_SERVER_PORT: "1",
    };
    expect(findMisspelledVariables(others)).toEqual([]);
  });

  test.each([
    [null, { WAYMARK__SERVER_PORT: "1" }, "did you mean 'server.port', as a variable WAYMARK__SERVER__PORT?"],
    [null, { WAYMARK__SERVER__TLSCERT: "a" }, "did you mean 'server.tls_cert'"],
    ["[server]\nPort = 1\n", {}, "waymark.toml:2: unknown setting 'server.Port'; did you mean 'server.port'"],
    ["[data]\nfolder = 1\n", {}, "allowed: data.dir"],
    [
      '[databse]\nurl = "x"\n',
      {},
      "waymark.toml:2: unknown setting 'databse.url'; did you mean 'database.url'?",
    ],
    ["[sever]\nprot = 1\n", {}, "did you mean the section 'server'? It has: server.host, server.port"],
    [null, { WAYMARK__STORRAGE__LOCAL_ROOTS: "/a" }, "did you mean 'storage.local_roots'?"],
    [null, { WAYMARK__FEATURES__PUBLIC_URL: "a" }, "changed in the panel or by 'waymark config set'"],
  ])("%j with the variables %j is refused with advice", (toml, variables, message) => {
    expect(() => load(toml, variables)).toThrow(message);
  });

  test("storage.local_roots is a list of absolute paths, separated as in PATH in a variable", () => {
    const rootsOf = (toml: string | null, variables = {}) => load(toml, variables).storage.localRoots;
    expect(rootsOf(null)).toEqual([]);
    expect(rootsOf('[storage]\nlocal_roots = ["/srv/a", "/mnt/b c"]\n')).toEqual(["/srv/a", "/mnt/b c"]);
    expect(rootsOf(null, { WAYMARK__STORAGE__LOCAL_ROOTS: "/srv/a:/mnt/b,c" })).toEqual([
      "/srv/a",
      "/mnt/b,c",
    ]);
    expect(rootsOf(null, { WAYMARK__STORAGE__LOCAL_ROOTS: "" })).toEqual([]);
    for (const wrong of [
      '"/srv"',
      "[1]",
      '["srv"]',
      '[["/srv"]]',
      "2026-11-20",
      "{ a = 1 }",
      '["/a\\u0000"]',
    ]) {
      expect(() => load(`[storage]\nlocal_roots = ${wrong}\n`)).toThrow(
        "waymark.toml:2: 'storage.local_roots' must be a list of absolute paths",
      );
    }
    expect(() => load(null, { WAYMARK__STORAGE__LOCAL_ROOTS: "srv" })).toThrow("a list of absolute paths");
  });

  test("usedPaths lists the paths that the program uses", () => {
    const env = load('[logging]\nfile = "w.log"\n[database]\nurl = "sqlite:links.db"\n');
    const paths = usedPaths(env).map(({ path }) => path);
    const own = ["waymark.db", "secret.key", "journal", "processes", ".restore"];
    for (const name of own) expect(paths).toContain(join(dir, "data", name));
    for (const name of ["w.log", "links.db"]) expect(paths).toContain(join(dir, name));
  });

  test("every row of the table becomes a frozen setting", () => {
    const env = load(null) as unknown as Record<string, Record<string, unknown>>;
    for (const { key } of settings) {
      const [section, name] = key.split(".") as [string, string];
      const inCamelCase = name.replace(/_./g, (pair) => pair[1]!.toUpperCase());
      expect([key, Object.keys(env[section]!)]).toEqual([key, expect.arrayContaining([inCamelCase])]);
      expect(Object.isFrozen(env[section])).toBe(true);
    }
  });

  test("values are converted as their rows state", () => {
    const env = load(null, {
      WAYMARK__SERVER__WORKERS: "auto",
      WAYMARK__SERVER__UNIX_SOCKET: "w.sock",
      WAYMARK__CACHE__TYPE: "redis",
      WAYMARK__METRICS__ENABLED: "false",
      WAYMARK__LOGGING__ACCESS_SAMPLE: "0.5",
    });
    expect(env.server).toMatchObject({ workers: "auto", unixSocket: join(dir, "w.sock") });
    expect([env.cache.type, env.metrics.enabled, env.logging.accessSample]).toEqual(["redis", false, 0.5]);
    expect(load("[server]\nworkers = 4\n").server.workers).toBe(4);
  });

  test("a certificate without its key is refused", () => {
    expect(() => load(null, { WAYMARK__SERVER__TLS_CERT: "cert.pem" })).toThrow("belong together");
  });

  test("a named file that does not exist, or is a folder, is refused", () => {
    expect(() => loadEnv({ cwd: dir, processEnv: {}, configFile: dir })).toThrow("can't be read: EISDIR");
    expect(() => loadEnv({ cwd: dir, processEnv: {}, configFile: "no.toml" })).toThrow(
      "no.toml does not exist",
    );
  });

  test("the template has every setting and is valid when uncommented", () => {
    const template = generateTemplate(settings);
    for (const setting of settings) expect(template).toContain(`# ${setting.key.split(".")[1]} = `);
    const bare = template.replaceAll(/^# (\w+ = )/gm, "$1");
    const groups = new Set(settings.map(({ key }) => key.split(".")[0]!));
    expect(Object.keys(parse(bare))).toEqual([...groups]);
    expect(load(bare)).toEqual(load(template));
  });
});

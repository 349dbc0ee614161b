import { describe, expect, test } from "bun:test";
import { listenFailure } from "./server.ts";

const failed = (code?: string) =>
  Object.assign(new Error("Failed to listen"), code !== undefined && { code });
const port = { host: "127.0.0.1", port: 80, unixSocket: null };
const socket = { ...port, unixSocket: "/run/waymark/s.sock" };

describe("a failure to listen explains what to do", () => {
  test.each([
    [
      port,
      "EADDRINUSE",
      "127.0.0.1:80 is in use; stop the program that listens there or change server.port.",
    ],
    [socket, "EADDRINUSE", "/run/waymark/s.sock is in use"],
    [port, "EACCES", `sudo setcap cap_net_bind_service=+ep ${process.execPath}`],
    [port, "EACCES", "AmbientCapabilities=CAP_NET_BIND_SERVICE"],
    [port, "EACCES", "or set server.port to 1024 or more"],
    [socket, "EACCES", "this account may not write into its folder"],
    [socket, "ENOENT", "its folder does not exist"],
    [port, "EADDRNOTAVAIL", "this machine does not have the address. Set server.host"],
    [port, undefined, "the host is not found. Set server.host"],
    [port, "EMFILE", "Can't listen on 127.0.0.1:80: Failed to listen"],
  ])("%j with %s", (settings, code, advice) => {
    expect(listenFailure(settings, failed(code)).message).toContain(advice);
  });

  test("what Bun reports of something else, such as a certificate, is kept", () => {
    const { message } = listenFailure(port, new Error("BoringSSL error"));
    expect(message).toBe("Can't listen on 127.0.0.1:80: BoringSSL error");
  });
});

/** Test support: an app's settings, and a connection. */
import type { CorsSettings } from "./cors.ts";
import type { HttpConnection } from "./endpoint.ts";

export const CORS_OFF: CorsSettings = {
  enabled: false,
  allowedOrigins: [],
  allowedMethods: [],
  allowedHeaders: [],
  maxAge: 0,
  allowCredentials: false,
};

/** A connection from this machine. */
export const CONNECTION: HttpConnection = {
  peerAddress: () => "127.0.0.1",
  origin: () => "http://localhost",
  prefix: () => "",
  liftIdleTimeout: () => {},
  cut: () => {},
};

/** Test support: settings of an app that most tests don't care about. */
import type { CorsSettings } from "./app.ts";

export const CORS_OFF: CorsSettings = {
  enabled: false,
  allowedOrigins: [],
  allowedMethods: [],
  allowedHeaders: [],
  maxAge: 0,
  allowCredentials: false,
};

/** The start-up settings of the core and of all rooms. */
import { createEnvReader } from "../platform/settings/env.ts";
import { ROOMS } from "./rooms.ts";

export const {
  settings: START_SETTINGS,
  loadEnv,
  findMisspelledVariables,
} = createEnvReader(ROOMS.flatMap(({ settings }) => settings ?? []));

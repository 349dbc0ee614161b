import { type Endpoint, endpoint } from "../http/endpoint.ts";
import { type SystemReport, systemView } from "./system-view.ts";

/** Relative to {admin}/v1. */
export const systemEndpoint = (system: { report(): Promise<SystemReport> }): Endpoint =>
  endpoint({
    method: "GET",
    path: "/system",
    access: "admin",
    scope: "admin",
    tag: "health",
    summary: "State of every part of this machine's server: database, storages, clicks, disks, jobs",
    answer: systemView,
    handle: () => system.report(),
  });

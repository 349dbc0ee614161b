import { lazyRouteComponent as lazy } from "@tanstack/react-router";
import { reachable } from "./connection.ts";

/** Waits for a server that is away. Rejects when it has the file no more: a new build replaced it. */
export async function loaded<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch {
    await reachable();
    return load();
  }
}

/** The router's own reloads the page once, when one goes to a page whose file is gone. */
export const lazyRouteComponent: typeof lazy = (load, name) => lazy(() => loaded(load), name);

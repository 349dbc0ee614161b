import { lazyRouteComponent as lazyRoute } from "@tanstack/react-router";
import { type ComponentType, createElement, lazy, useState } from "react";
import { markOutdated, reachable } from "./connection.ts";

// Once: scripts run when the style sheet of the page is there or has failed.
for (const link of document.querySelectorAll<HTMLLinkElement>('link[rel="stylesheet"]'))
  if (isWithoutRules(link)) void styleAgain(link);

function isWithoutRules({ sheet }: HTMLLinkElement): boolean {
  try {
    return sheet === null || sheet.cssRules.length === 0;
  } catch {
    // Browsers show no rules of what failed.
    return true;
  }
}

async function styleAgain(broken: HTMLLinkElement): Promise<void> {
  await reachable();
  const link = broken.cloneNode() as HTMLLinkElement;
  link.addEventListener("error", markOutdated);
  broken.replaceWith(link);
}

/** Waits while the server is away. Rejects if the server no longer has the file: a new build replaced it. */
export async function loaded<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch {
    await reachable();
    return load();
  }
}

/** The router's own function reloads the page once when the file of a page is gone. */
export const lazyRouteComponent: typeof lazyRoute = (load, name) => lazyRoute(() => loaded(load), name);

/** A part of a page. Its place shows the failure if its file is gone. */
export const lazyOrFailure = <P extends object>(load: () => Promise<ComponentType<P>>) =>
  lazy(async () => ({ default: await loaded(load) }));

/** A part of a page. If its file is gone, it is left out, so that the page keeps what is typed; a bar says so. */
export const lazyPart = <P extends object>(load: () => Promise<ComponentType<P>>) =>
  lazy(async (): Promise<{ default: ComponentType<P> }> => {
    try {
      return { default: await loaded(load) };
    } catch {
      markOutdated();
      return { default: () => null };
    }
  });

/** `rest`: the first page is shown. Then scripts are loaded that a page may need soon. */
export const { promise: rested, resolve: rest } = Promise.withResolvers<void>();

/** As lazyPart, loaded already when the page has come to rest: it then shows at once. */
export function soonPart<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  let there: ComponentType<P> | undefined;
  const keep = async (): Promise<ComponentType<P>> => (there = await load());
  const Late = lazyPart(keep) as unknown as ComponentType<P>;
  void rested.then(keep).catch(() => {});
  return function Soon(props: P) {
    // The other one would begin anew.
    const [Shown] = useState<ComponentType<P>>(() => there ?? Late);
    return createElement(Shown, props);
  };
}

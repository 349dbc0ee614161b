/** Which links are selected: some by name, or all that the list finds. */
import { useState } from "react";
import type { Link } from "../../base/api.ts";
import type { LinkFinding } from "../link-search.ts";
import { keyOfLink } from "./page-queries.ts";

export type Selected =
  | { kind: "some"; links: ReadonlyMap<string, Link> }
  | { kind: "all"; finding: LinkFinding; total: number };

const NOTHING: Selected = { kind: "some", links: new Map() };

export const countOfSelected = (selected: Selected): number =>
  selected.kind === "all" ? selected.total : selected.links.size;

export const isSelectedLink = (selected: Selected, link: Link): boolean =>
  selected.kind === "all" || selected.links.has(keyOfLink(link));

/** How much of the links is selected. */
export function selectedPart(selected: Selected, links: readonly Link[]): "all" | "some" | "none" {
  if (countOfSelected(selected) === 0) return "none";
  return links.every((link) => isSelectedLink(selected, link)) ? "all" : "some";
}

export function withLinks(selected: Selected, added: readonly Link[]): Selected {
  if (selected.kind === "all") return selected;
  return {
    kind: "some",
    links: new Map([...selected.links, ...added.map((link) => [keyOfLink(link), link] as const)]),
  };
}

/** @param others stay selected when one of all is deselected */
function toggled(selected: Selected, link: Link, others: readonly Link[]): Selected {
  const links = new Map(
    selected.kind === "some" ? selected.links : others.map((other) => [keyOfLink(other), other] as const),
  );
  if (!links.delete(keyOfLink(link))) links.set(keyOfLink(link), link);
  return { kind: "some", links };
}

/** The link is deleted. */
function without(selected: Selected, link: Link): Selected {
  if (selected.kind === "all") return { ...selected, total: selected.total - 1 };
  return { kind: "some", links: new Map([...selected.links].filter(([key]) => key !== keyOfLink(link))) };
}

export function useLinkSelection() {
  const [selected, set] = useState<Selected>(NOTHING);
  return {
    selected,
    set,
    clear: () => set(NOTHING),
    toggle: (link: Link, others: readonly Link[]) => set((now) => toggled(now, link, others)),
    drop: (link: Link) => set((now) => without(now, link)),
  };
}

export type LinkSelection = ReturnType<typeof useLinkSelection>;

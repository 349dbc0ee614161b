/** Named views of the account in this browser. To share one, its address is sent: it holds all of it. */
import { readReportSearch, type ReportSearch } from "../range.ts";

export type View = { name: string; search: ReportSearch };

const MOST = 50;
const keyOf = (account: number): string => `waymark-views-${account}`;

export function readViews(account: number): View[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(keyOf(account)) ?? "[]");
    return (Array.isArray(stored) ? stored : []).map(({ name, search }: View) => ({
      name: String(name),
      search: readReportSearch(search),
    }));
  } catch {
    return [];
  }
}

/** One of the same name goes. Returns what is stored now. */
export function saveView(account: number, view: View): View[] {
  return store(account, [...readViews(account).filter(({ name }) => name !== view.name), view].slice(-MOST));
}

export const removeView = (account: number, name: string): View[] =>
  store(
    account,
    readViews(account).filter((view) => view.name !== name),
  );

function store(account: number, views: View[]): View[] {
  try {
    localStorage.setItem(keyOf(account), JSON.stringify(views));
  } catch {
    // Full: they are there until the page is left.
  }
  return views;
}

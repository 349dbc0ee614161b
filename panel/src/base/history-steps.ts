/** Steps in the browser's history, before the router sees them: it imports this first. */
type Heed = (event: PopStateEvent) => void;

let heed: Heed | undefined;
export const heedSteps = (run: Heed): void => void (heed = run);

addEventListener("popstate", (event) => heed?.(event));

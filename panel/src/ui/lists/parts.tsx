import { Children, type ReactNode } from "react";

/** Parts of a text with dots between them. Where they wrap, no dot stands at an edge. */
export function Parts({ children }: { children: ReactNode }) {
  const parts = Children.toArray(children);
  if (parts.length === 0) return null;
  return (
    <span className="parts">
      {parts.map((part, nth) => (
        <span key={nth}>
          {nth > 0 && <i> · </i>}
          {part}
        </span>
      ))}
    </span>
  );
}

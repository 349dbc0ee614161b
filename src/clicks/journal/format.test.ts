import { expect, test } from "bun:test";
import { countKind, detailRefusalOf, isAutomatedKind, isClick, REFUSALS } from "./format.ts";

test("every reason to refuse details has a kind of its own for people and for programs", () => {
  const kinds = [null, ...REFUSALS].flatMap((reason) =>
    [false, true].map((isAutomated) => ({ reason, isAutomated, kind: countKind(reason, isAutomated) })),
  );
  expect(new Set(kinds.map(({ kind }) => kind)).size).toBe(kinds.length);
  for (const { reason, isAutomated, kind } of kinds) {
    expect([isClick(kind), isAutomatedKind(kind), detailRefusalOf(kind)]).toEqual([
      true,
      isAutomated,
      reason,
    ]);
  }
});

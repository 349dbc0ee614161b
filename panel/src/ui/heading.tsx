import { Title } from "@mantine/core";
import { type ReactNode, useEffect, useRef } from "react";
import { isolated } from "../base/isolated-names.ts";
import { INSTANCE_NAME } from "../base/place.ts";

/** The heading of a page, which names its tab, and is announced when it comes. */
export function Heading({ children }: { children: ReactNode }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    const name = heading.current!.textContent;
    document.title = name === INSTANCE_NAME ? name : `${isolated(name)} · ${INSTANCE_NAME}`;
    const said = document.getElementById("page-name");
    if (said !== null && said.textContent !== name) said.textContent = name;
  });
  return (
    <Title ref={heading} order={1} size="h3" style={{ overflowWrap: "anywhere" }}>
      {children}
    </Title>
  );
}

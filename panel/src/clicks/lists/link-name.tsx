import { VisuallyHidden } from "@mantine/core";
import { CodeName } from "../../ui/code-name.tsx";
import classes from "../clicks.module.css";
import type { Value } from "../dimensions.ts";

/** The title first, then code and host. */
export const LinkName = ({ code, title, domain }: Pick<Value, "title" | "domain"> & { code: string }) => (
  <>
    {title && (
      <bdi className={classes["linkTitle"]}>
        {title}
        <VisuallyHidden>,</VisuallyHidden>
      </bdi>
    )}{" "}
    <span data-soft={title ? "" : undefined}>
      <CodeName code={code} domain={domain} wraps />
    </span>
  </>
);

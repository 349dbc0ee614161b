import { Text } from "@mantine/core";
import type { Event } from "../base/api.ts";
import { AnchorLink } from "../ui/anchor-link.tsx";
import { CodeName } from "../ui/code-name.tsx";

const domainOf = ({ before, after }: Event): string | undefined => {
  const domain = after?.["domain"] ?? before?.["domain"];
  return typeof domain === "string" ? domain : undefined;
};

/** The subject of an event, as a link if there is a page. */
export function EventSubject({ event }: { event: Event }) {
  const { action, subject } = event;
  const [kind = ""] = action.split(".");
  if (kind === "link" && action !== "link.delete") {
    const domain = domainOf(event);
    return (
      <AnchorLink
        to="/link/$"
        params={{ _splat: subject }}
        search={domain === undefined ? {} : { domain }}
        size="sm"
        underline="always"
      >
        <CodeName code={subject} domain={domain} wraps />
      </AnchorLink>
    );
  }
  if (kind === "setting") {
    return (
      <AnchorLink to="/settings" search={{ q: subject }} size="sm" underline="always">
        {subject}
      </AnchorLink>
    );
  }
  if (kind === "account" && action !== "account.delete") {
    return (
      <AnchorLink to="/users" search={{ q: subject }} size="sm" underline="always">
        {subject}
      </AnchorLink>
    );
  }
  const place = ({ domain: "/domains", policy: "/policies", token: "/tokens" } as const)[kind];
  if (place === undefined || action.endsWith(".delete")) {
    return (
      <Text span size="sm">
        {subject}
      </Text>
    );
  }
  return (
    <AnchorLink to={place} size="sm" underline="always">
      {subject}
    </AnchorLink>
  );
}

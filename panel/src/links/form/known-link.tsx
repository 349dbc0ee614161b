import { Trans } from "@lingui/react/macro";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { findKnownLink } from "../../base/same-target.ts";
import { targetIn } from "../../base/targets.ts";
import { AnchorLink } from "../../ui/anchor-link.tsx";
import { withScheme } from "./with-scheme.ts";

const DELAY_MS = 250;

/** While one types a new target: the link that makes it needless. Null without one. */
export function useKnownLink(typed: string) {
  const [settled] = useDebouncedValue(typed, DELAY_MS);
  const target = targetIn(withScheme(settled));
  const { data } = useQuery({
    queryKey: ["links", "known", target],
    queryFn: ({ signal }) => findKnownLink(target ?? "", signal),
    enabled: target !== null,
    retry: false,
  });
  if (settled !== typed || !data) return null;
  const { link, isOwn } = data;
  const shown = (
    <AnchorLink
      to="/link/$"
      params={{ _splat: link.code }}
      search={link.domain === null ? {} : { domain: link.domain }}
      inherit
      underline="always"
      className="known-link"
    >
      {link.short_url.replace(/^https?:\/\//, "")}
    </AnchorLink>
  );
  return isOwn ? (
    <Trans>This is a short link already: {shown}</Trans>
  ) : (
    <Trans>A link leads there already: {shown}</Trans>
  );
}

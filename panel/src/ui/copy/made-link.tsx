import { Trans } from "@lingui/react/macro";
import { Anchor, Button, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { responseOf, api, type Link } from "../../base/api.ts";
import { paramsOf } from "../../base/link-states.ts";
import { CopyAction } from "./copy-action.tsx";
import { showActions } from "../notices/action-notice.tsx";
import { useUndoOffer } from "../notices/undo.tsx";

/** Lists of links, and the sums of the overview. */
export async function refreshMade(queries: QueryClient): Promise<void> {
  const keys = [["links"], ["clicks", "totals"]];
  await Promise.all(keys.map((queryKey) => queries.invalidateQueries({ queryKey })));
}

const Address = ({ link }: { link: Link }) => (
  <Anchor href={link.short_url} target="_blank" rel="noreferrer">
    {link.short_url}
  </Anchor>
);

function useOpenLink() {
  const navigate = useNavigate();
  return ({ code, domain }: Link) =>
    void navigate({
      to: "/link/$",
      params: { _splat: code },
      search: domain === null ? {} : { domain },
    });
}

type OpenProps = { onOpen(): void };
const Open = ({ onOpen }: OpenProps) => (
  <Button size="compact-xs" variant="light" onClick={onOpen}>
    <Trans>Show the link</Trans>
  </Button>
);

/** Says that a link is made, and offers to undo that, and to open it unless its page is shown. */
export function useMadeLink(): (link: Link, isCopied: boolean, isShown?: boolean) => void {
  const queries = useQueryClient();
  const open = useOpenLink();
  const offerUndo = useUndoOffer();
  return (link, isCopied, isShown = false) => {
    const hide = offerUndo({
      message: (
        <>
          <Text size="sm">
            {isCopied ? <Trans>Link created, short URL copied.</Trans> : <Trans>Link created.</Trans>}
          </Text>
          <Address link={link} />
        </>
      ),
      more: (
        <>
          {!isCopied && <CopyAction address={link.short_url} />}
          {!isShown && (
            <Open
              onOpen={() => {
                hide();
                open(link);
              }}
            />
          )}
        </>
      ),
      undo: () =>
        responseOf(
          api.DELETE("/admin/v1/links/{code}", {
            params: paramsOf({ code: link.code, domain: link.domain ?? undefined }),
          }),
        ),
      refresh: () => refreshMade(queries),
    });
  };
}

/** Says that a link was there already, and offers to make another. */
export function useFoundLink(): (link: Link, isCopied: boolean, onAnother: (() => void) | null) => void {
  const open = useOpenLink();
  return (link, isCopied, onAnother) => {
    const hide = (): void => void notifications.hide(id);
    const id = showActions(
      <>
        <Text size="sm">
          {onAnother === null ? (
            <Trans>This is a short link already.</Trans>
          ) : (
            <Trans>A link leads there already.</Trans>
          )}
          {isCopied && (
            <>
              {" "}
              <Trans>Copied.</Trans>
            </>
          )}
        </Text>
        <Address link={link} />
      </>,
      <>
        {!isCopied && <CopyAction address={link.short_url} />}
        <Open
          onOpen={() => {
            hide();
            open(link);
          }}
        />
        {onAnother !== null && (
          <Button
            size="compact-xs"
            variant="light"
            onClick={() => {
              hide();
              onAnother();
            }}
          >
            <Trans>Create another</Trans>
          </Button>
        )}
      </>,
    );
  };
}

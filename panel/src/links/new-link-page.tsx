import { Trans, useLingui } from "@lingui/react/macro";
import { Skeleton, Stack } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, Suspense, useEffect, useRef } from "react";
import { lazyOrFailure } from "../base/lazy.ts";
import { useWayBack } from "../ui/back-closes.ts";
import { PageTitle } from "../ui/page-head.tsx";
import { useHasDomains } from "./form/domains.ts";
import { LinkPreview } from "./link-preview.tsx";

const LinkFields = lazyOrFailure(async () => (await import("./form/link-fields.tsx")).LinkFields);

/** A new link beside what it will look like. Made, it is the page of the link. */
export function NewLinkPage() {
  const { t } = useLingui();
  const navigate = useNavigate();
  // A late field would move the others.
  const isReady = useHasDomains() !== undefined;
  const leave = useWayBack("/links");
  return (
    <Stack p="md" gap="md" component="section" aria-label={t`New link`}>
      <PageTitle>
        <Trans>New link</Trans>
      </PageTitle>
      <Suspense fallback={<Skeleton height={480} />}>
        {isReady ? (
          <Begin onLeave={leave}>
            <LinkFields
              onClose={leave}
              onMade={({ code, domain }) =>
                void navigate({
                  to: "/link/$",
                  params: { _splat: code },
                  search: domain === null ? {} : { domain },
                  replace: true,
                })
              }
              onMany={(pasted) =>
                void navigate({ to: "/links", search: {}, state: { requested: "new-links", pasted } })
              }
              preview={(values) => <LinkPreview values={values} />}
            />
          </Begin>
        ) : (
          <Skeleton height={480} />
        )}
      </Suspense>
    </Stack>
  );
}

/** Sets the focus in the form, which was loaded after its page. Escape leaves; what is typed stays. */
function Begin({ onLeave, children }: { onLeave(): void; children: ReactNode }) {
  const form = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const first = form.current?.querySelector<HTMLInputElement>("[data-autofocus]");
    first?.focus();
    first?.select();
  }, []);
  return (
    <div
      ref={form}
      onKeyDown={(event) => {
        if (event.key === "Escape" && !event.defaultPrevented && !event.nativeEvent.isComposing) onLeave();
      }}
    >
      {children}
    </div>
  );
}

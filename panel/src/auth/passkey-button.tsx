import { Trans } from "@lingui/react/macro";
import { Button, type ButtonProps } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { loaded } from "../base/lazy.ts";
import { SIGN_IN } from "../base/place.ts";
import { Refusal } from "./refusal.tsx";
import { loadSecurityTexts } from "./security-texts.ts";
import { HAS_PASSKEYS } from "./sign-in.ts";

type Props = ButtonProps & { onSignedIn(): Promise<unknown> | void };

export function PasskeyButton({ onSignedIn, ...props }: Props) {
  const signIn = useMutation({
    async mutationFn() {
      const [{ signInByPasskey }] = await loaded(() =>
        Promise.all([import("./security/passkeys.ts"), loadSecurityTexts()]),
      );
      await signInByPasskey();
      await onSignedIn();
    },
  });
  if (!SIGN_IN.password || !HAS_PASSKEYS) return null;
  return (
    <>
      <Button {...props} variant="default" loading={signIn.isPending} onClick={() => signIn.mutate()}>
        <Trans>Sign in with a passkey</Trans>
      </Button>
      <Refusal error={signIn.error} />
    </>
  );
}

import { Trans, useLingui } from "@lingui/react/macro";
import { Button, PasswordInput, Stack, Switch, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { responseOf, api, ApiError } from "../base/api.ts";
import { fieldErrors } from "../ui/forms/side-form.tsx";
import { useDraftForm } from "../ui/forms/use-draft-form.tsx";
import { Refusal } from "./refusal.tsx";
import { markSetUp } from "./set-up.ts";
import { enter } from "./sign-in.ts";

type Settings = { public_url: string; click_details: boolean; click_addresses: boolean };

const LOCAL = /^https?:\/\/(?:localhost|127\.|\[::1\])/;

export function SetUpForm({ secret, settings }: { secret: string; settings: Settings }) {
  const { t } = useLingui();
  const navigate = useNavigate();
  const plain = {
    password: "",
    public_url: settings.public_url === "" ? location.origin : settings.public_url,
    click_details: settings.click_details,
    click_addresses: settings.click_addresses,
    truncated_addresses: true,
    respect_signals: true,
    forgive_tails: true,
    link_passwords: true,
  };
  const { form, notice, forget } = useDraftForm("new installation", plain, { secrets: ["password"] });
  const setUp = useMutation({
    async mutationFn(values: typeof form.values) {
      await responseOf(api.POST("/panel/v1/set-up", { body: { ...values, secret } }));
      forget();
      markSetUp();
      await enter();
    },
    onSuccess: () => navigate({ to: "/", replace: true }),
    onError(error) {
      if (!(error instanceof ApiError)) return;
      const errors = fieldErrors(error.details);
      // The server's messages name the setting.
      if (errors["public_url"]?.startsWith("features.public_url must")) {
        errors["public_url"] =
          t`The public address must be empty, or like https://go.example.com: no more than scheme, host and port.`;
      }
      form.setErrors(errors);
      const first = Object.keys(plain).find((name) => name in errors);
      if (first !== undefined) form.getInputNode(first)?.focus();
    },
  });
  const isPlaced = Object.keys(form.errors).some((name) => name in plain);
  const isLocal = LOCAL.test(form.values.public_url);

  return (
    <form onSubmit={form.onSubmit((values) => setUp.mutate(values))}>
      <Stack gap="md">
        {notice}
        {/* For password managers. */}
        <input type="text" name="username" autoComplete="username" value="admin" readOnly hidden />
        <PasswordInput
          {...form.getInputProps("password")}
          label={t`Password of the administrator`}
          description={t`At least 8 characters.`}
          autoComplete="new-password"
          minLength={8}
          required
          withAsterisk={false}
          autoFocus
        />
        <TextInput
          {...form.getInputProps("public_url")}
          label={t`Public address`}
          description={
            isLocal
              ? t`Short links begin with it, but only this machine reaches it. Empty: the address that each visitor uses.`
              : t`Short links begin with it. Empty: the address that each visitor uses.`
          }
          inputMode="url"
          autoCapitalize="none"
          spellCheck={false}
        />
        <Switch
          {...form.getInputProps("click_details", { type: "checkbox" })}
          label={t`Keep details of clicks`}
          description={t`Referrer, device and place. Clicks are counted without them too.`}
        />
        <Switch
          {...form.getInputProps("click_addresses", { type: "checkbox" })}
          label={t`Keep IP addresses with the details`}
          disabled={!form.values.click_details}
        />
        <Switch
          {...form.getInputProps("truncated_addresses", { type: "checkbox" })}
          label={t`Keep only the network of an address`}
          description={t`The first 24 bits of IPv4, 48 of IPv6.`}
          disabled={!form.values.click_details || !form.values.click_addresses}
        />
        <Switch
          {...form.getInputProps("respect_signals", { type: "checkbox" })}
          label={t`Respect visitors who ask not to be tracked`}
          description={t`By Global Privacy Control or Do Not Track. Their clicks are counted, without details.`}
          disabled={!form.values.click_details}
        />
        <Switch
          {...form.getInputProps("forgive_tails", { type: "checkbox" })}
          label={t`Forgive what is left behind an address`}
          description={t`A short URL also works with a full stop, bracket or quote behind it, as texts and programs leave them.`}
        />
        <Switch
          {...form.getInputProps("link_passwords", { type: "checkbox" })}
          label={t`Ask visitors for the passwords of links`}
          description={t`Otherwise a password is only kept, and everybody gets to the target.`}
        />
        {!isPlaced && <Refusal error={setUp.error} />}
        <Button type="submit" loading={setUp.isPending} fullWidth>
          <Trans>Set up and sign in</Trans>
        </Button>
      </Stack>
    </form>
  );
}

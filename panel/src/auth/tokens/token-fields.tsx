import { useLingui } from "@lingui/react/macro";
import { Button, Checkbox, Group, Stack, TextInput } from "@mantine/core";
import { useMutation, useQueryClient, useSuspenseQuery } from "@tanstack/react-query";
import { answerOf, api, ApiError } from "../../base/api.ts";
import { useLateAnswer } from "../../ui/late-answer.ts";
import { fieldErrors, FormFields } from "../../ui/side-form.tsx";
import { useDraftForm } from "../../ui/use-draft-form.tsx";
import { accountQuery } from "../account.ts";
import { type Scope, SCOPES, useScopeTexts } from "./scopes.ts";

export function TokenFields({ onClose, onMade }: { onClose(): void; onMade(secret: string): void }) {
  const { t } = useLingui();
  const queries = useQueryClient();
  const { data: account } = useSuspenseQuery(accountQuery);
  const texts = useScopeTexts();
  const times = { "30d": t`30 days`, "90d": t`90 days`, "1y": t`A year`, "": t`Never` };
  const { form, notice, forget } = useDraftForm("new token", {
    name: "",
    scopes: [] as Scope[],
    expires_at: "90d",
  });
  const { close, tellIfGone } = useLateAnswer(onClose);
  const make = useMutation({
    mutationFn: async ({ name, scopes, expires_at: expires }: typeof form.values) => {
      const body = {
        name: name.trim(),
        scopes,
        ...(expires.trim() !== "" && { expires_at: expires.trim() }),
      };
      return (await answerOf(api.POST("/admin/v1/tokens", { body }))).data;
    },
    async onSuccess({ token }) {
      forget();
      onMade(token);
      close();
      await queries.invalidateQueries({ queryKey: ["tokens"] });
    },
    onError(error) {
      tellIfGone(error);
      if (error instanceof ApiError) form.setErrors(fieldErrors(error.details));
    },
  });
  return (
    <FormFields
      onSubmit={form.onSubmit((values) => make.mutate(values))}
      onClose={onClose}
      error={make.error}
      isPending={make.isPending}
      action={t`Create`}
    >
      {notice}
      <TextInput
        {...form.getInputProps("name")}
        label={t`Name`}
        required
        withAsterisk={false}
        maxLength={64}
        data-autofocus
      />
      <Checkbox.Group {...form.getInputProps("scopes")} label={t`Scopes`}>
        <Stack gap={8} mt={6}>
          {SCOPES[account.role].map((scope) => (
            <Checkbox key={scope} value={scope} label={scope} description={texts[scope]} />
          ))}
        </Stack>
      </Checkbox.Group>
      <TextInput
        {...form.getInputProps("expires_at")}
        label={t`Expires`}
        description={t`A date such as 2027-01-31T18:00:00Z, or a time from now such as 7d. Empty: never.`}
      />
      <Group gap={6} role="group" aria-label={t`Usual times`}>
        {Object.entries(times).map(([length, name]) => (
          <Button
            key={length}
            size="compact-sm"
            variant={form.values.expires_at === length ? "light" : "default"}
            aria-pressed={form.values.expires_at === length}
            onClick={() => form.setFieldValue("expires_at", length)}
          >
            {name}
          </Button>
        ))}
      </Group>
    </FormFields>
  );
}

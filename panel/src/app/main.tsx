import "@mantine/core/styles.css";
import "@mantine/notifications/styles.css";
import "../ui/base.css";
import { i18n } from "@lingui/core";
import { I18nProvider } from "@lingui/react";
import { MantineProvider } from "@mantine/core";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { heedEarlyTyping } from "../commands/early-typing.ts";
import { Notices } from "../ui/notices/notices.tsx";
import { ConnectionBar } from "../ui/connection-bar.tsx";
import { loadLanguage, preferredLanguage } from "../base/i18n.ts";
import { becomeApp } from "../base/install.ts";
import { queries } from "../base/queries.ts";
import { router } from "./router.tsx";
import { applyScheme, THEME, VARIABLES } from "./theme.ts";

heedEarlyTyping();
becomeApp();
applyScheme();
await loadLanguage(preferredLanguage());

createRoot(document.getElementById("root")!).render(
  <StrictMode>
    <I18nProvider i18n={i18n}>
      <MantineProvider theme={THEME} cssVariablesResolver={VARIABLES} defaultColorScheme="auto">
        <Notices />
        <ConnectionBar />
        <QueryClientProvider client={queries}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </MantineProvider>
    </I18nProvider>
  </StrictMode>,
);

/** The root, and the pages for people who are not signed in. */
import type { QueryClient } from "@tanstack/react-query";
import { createRootRouteWithContext, createRoute } from "@tanstack/react-router";
import { lazyRouteComponent } from "../base/lazy.ts";
import { withMailTexts } from "../base/mail-texts.ts";
import { MissingPage } from "../ui/failure.tsx";
import { readSignIn, strictSearch } from "./searches.ts";

export const root = createRootRouteWithContext<{ queries: QueryClient }>()({
  notFoundComponent: MissingPage,
});

const signIn = createRoute({
  getParentRoute: () => root,
  path: "/sign-in",
  validateSearch: strictSearch(readSignIn),
  component: lazyRouteComponent(() => import("../auth/sign-in-page.tsx"), "SignInPage"),
});

const setUp = createRoute({
  getParentRoute: () => root,
  path: "/set-up",
  component: lazyRouteComponent(() => import("../auth/set-up-page.tsx"), "SetUpPage"),
});

const forgotPassword = createRoute({
  getParentRoute: () => root,
  path: "/forgot-password",
  component: lazyRouteComponent(
    () => withMailTexts(() => import("../auth/by-mail/forgot-page.tsx")),
    "ForgotPage",
  ),
});

/** What mails lead to. The proof is after the # of the address, so no log of a server has it. */
const newPassword = createRoute({
  getParentRoute: () => root,
  path: "/new-password",
  component: lazyRouteComponent(
    () => withMailTexts(() => import("../auth/by-mail/new-password-page.tsx")),
    "NewPasswordPage",
  ),
});

const confirmAddress = createRoute({
  getParentRoute: () => root,
  path: "/confirm-address",
  component: lazyRouteComponent(
    () => withMailTexts(() => import("../auth/by-mail/confirm-page.tsx")),
    "ConfirmPage",
  ),
});

export const OPEN_ROUTES = [signIn, setUp, forgotPassword, newPassword, confirmAddress] as const;

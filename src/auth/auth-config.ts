import type { AddressMode } from "../lib/kept-address.ts";
import type { Role } from "../lib/access.ts";

/** Read the settings at each use, because they may change. */
export type AuthSettings = {
  /** Argon2 hash of the built-in administrator's password; empty disables the admin API. */
  "api.admin_token": string;
  "api.health_token": string;
  "api.jwt_secret": string;
  "api.access_token_minutes": number;
  "api.refresh_token_days": number;
  "api.cookie_secure": boolean;
  "api.cookie_same_site": "Strict" | "Lax" | "None";
  "api.cookie_domain": string;
  "api.second_factor_roles": readonly Role[];
  "features.instance_name": string;
  "api.trusted_proxies": readonly string[];
  /** Without effect while sign-in by OpenID Connect is off. */
  "oidc.password_sign_in": boolean;
  "routes.admin_prefix": string;
  "routes.frontend_prefix": string;
  "cors.enabled": boolean;
  "privacy.addresses": AddressMode;
  "cors.allowed_origins": readonly string[];
};

export type AuthConfig = {
  get<K extends keyof AuthSettings>(key: K): AuthSettings[K];
};

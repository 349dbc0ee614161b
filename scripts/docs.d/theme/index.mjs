/** The default theme with the fonts of the system, so that a page loads none. */
import "./style.css";

// oxlint-disable-next-line no-default-export -- VitePress reads it.
export { default } from "vitepress/theme-without-fonts";

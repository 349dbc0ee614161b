/** Shows a field of the page's form by its name once its error is there, above the buttons that stay in sight. */
export const focusField = (name: string): void => {
  requestAnimationFrame(() => {
    const field = document.querySelector<HTMLElement>(`main [data-path="${CSS.escape(name)}"]`);
    field?.focus({ preventScroll: true });
    field?.scrollIntoView({ block: "center" });
  });
};

const TITLE = "This link is for people";
const HTML = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<title>${TITLE}</title>
</head>
<body><main><h1>${TITLE}</h1><p>It opens for a limited number of people. Open it in a browser to go on.</p></main></body>
</html>
`;

/** For automated visitors: nothing of the target. */
export const peoplePage = (method: string): Response =>
  new Response(method === "HEAD" ? null : HTML, {
    status: 200,
    headers: {
      "Content-Type": "text/html; charset=utf-8",
      "Cache-Control": "no-store",
      "Content-Security-Policy":
        "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      "X-Robots-Tag": "noindex, nofollow",
      "X-Content-Type-Options": "nosniff",
      "Referrer-Policy": "no-referrer",
    },
  });

import { Children, memo, type ReactNode } from "react";
import ReactMarkdown, { type Components } from "react-markdown";
import { Link } from "react-router";
import rehypeSanitize, { defaultSchema } from "rehype-sanitize";
import remarkGfm from "remark-gfm";
import { shown } from "@/lib/hostile";
import { Hostile } from "@/ui/Hostile";

const SCHEMA = {
  ...defaultSchema,
  tagNames: (defaultSchema.tagNames ?? []).filter((name) => name !== "img" && name !== "input"),
  protocols: { href: ["http", "https", "mailto"] },
};

const LINK = "break-all text-second underline";

/** Shows the host beside a link, because an untrusted link text may name another one. */
function Anchor({ href = "", children }: { href?: string; children?: ReactNode }) {
  if (/^\/(?!\/)/.test(href)) {
    return (
      <Link to={href} className={LINK}>
        {children}
      </Link>
    );
  }
  if (!/^(https?|mailto):/i.test(href)) return <span>{children}</span>;
  return (
    <a
      href={href}
      title={shown(href)}
      rel="noopener noreferrer nofollow"
      target="_blank"
      className={LINK}
    >
      {children}
      <span className="text-xs text-muted no-underline"> ({shown(hostOf(href))})</span>
    </a>
  );
}

function hostOf(href: string): string {
  return URL.canParse(href) ? new URL(href).host || "mail" : "?";
}

/** Renders text inside elements as untrusted text. */
function withHostileText(children: ReactNode): ReactNode {
  return Children.map(children, (child) =>
    typeof child === "string" ? <Hostile text={child} /> : child,
  );
}

/** Headings are paragraphs: the page has its own heading structure. */
const HEADING = "mt-3 mb-1 font-semibold";

const PARTS: Components = {
  a: ({ href, children }) => (
    <Anchor {...(href ? { href } : {})}>{withHostileText(children)}</Anchor>
  ),
  img: ({ alt }) => <span className="text-muted">[image: {shown(alt ?? "")}]</span>,
  h1: ({ children }) => <p className={HEADING}>{withHostileText(children)}</p>,
  h2: ({ children }) => <p className={HEADING}>{withHostileText(children)}</p>,
  h3: ({ children }) => <p className={HEADING}>{withHostileText(children)}</p>,
  h4: ({ children }) => <p className={HEADING}>{withHostileText(children)}</p>,
  h5: ({ children }) => <p className={HEADING}>{withHostileText(children)}</p>,
  h6: ({ children }) => <p className={HEADING}>{withHostileText(children)}</p>,
  p: ({ children }) => <p className="my-1.5">{withHostileText(children)}</p>,
  li: ({ children }) => <li className="ml-5 list-disc">{withHostileText(children)}</li>,
  em: ({ children }) => <em>{withHostileText(children)}</em>,
  strong: ({ children }) => <strong>{withHostileText(children)}</strong>,
  td: ({ children }) => (
    <td className="border border-line px-2 py-1">{withHostileText(children)}</td>
  ),
  th: ({ children }) => (
    <th className="border border-line px-2 py-1">{withHostileText(children)}</th>
  ),
  blockquote: ({ children }) => (
    <blockquote className="border-l-2 border-line-strong pl-3 text-soft">{children}</blockquote>
  ),
  pre: ({ children }) => (
    <pre
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable by keyboard
      tabIndex={0}
      className="my-2 overflow-x-auto rounded-md bg-raised p-3 text-xs [&>code]:bg-transparent [&>code]:p-0"
    >
      {children}
    </pre>
  ),
  code: ({ children }) => (
    <code className="rounded bg-raised px-1 text-[0.95em]">{withHostileText(children)}</code>
  ),
};

export default memo(function MarkdownRendered({ text }: { text: string }) {
  return (
    <div className="min-w-0 break-words">
      <ReactMarkdown
        remarkPlugins={[remarkGfm]}
        rehypePlugins={[[rehypeSanitize, SCHEMA]]}
        components={PARTS}
        skipHtml
      >
        {text}
      </ReactMarkdown>
    </div>
  );
});

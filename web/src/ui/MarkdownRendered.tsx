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

/** Where a hostile link leads stands beside it: its words may say anything. */
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

/** Text inside elements goes the same way as all hostile text. */
function told(children: ReactNode): ReactNode {
  return Children.map(children, (child) =>
    typeof child === "string" ? <Hostile text={child} /> : child,
  );
}

/** A page has one first heading, and this is not it. */
const HEADING = "mt-3 mb-1 font-semibold";

const PARTS: Components = {
  a: ({ href, children }) => <Anchor {...(href ? { href } : {})}>{told(children)}</Anchor>,
  img: ({ alt }) => <span className="text-muted">[image: {shown(alt ?? "")}]</span>,
  h1: ({ children }) => <p className={HEADING}>{told(children)}</p>,
  h2: ({ children }) => <p className={HEADING}>{told(children)}</p>,
  h3: ({ children }) => <p className={HEADING}>{told(children)}</p>,
  h4: ({ children }) => <p className={HEADING}>{told(children)}</p>,
  h5: ({ children }) => <p className={HEADING}>{told(children)}</p>,
  h6: ({ children }) => <p className={HEADING}>{told(children)}</p>,
  p: ({ children }) => <p className="my-1.5">{told(children)}</p>,
  li: ({ children }) => <li className="ml-5 list-disc">{told(children)}</li>,
  em: ({ children }) => <em>{told(children)}</em>,
  strong: ({ children }) => <strong>{told(children)}</strong>,
  td: ({ children }) => <td className="border border-line px-2 py-1">{told(children)}</td>,
  th: ({ children }) => <th className="border border-line px-2 py-1">{told(children)}</th>,
  blockquote: ({ children }) => (
    <blockquote className="border-l-2 border-line-strong pl-3 text-soft">{children}</blockquote>
  ),
  pre: ({ children }) => (
    <pre
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls has to be reachable
      tabIndex={0}
      className="my-2 overflow-x-auto rounded-md bg-raised p-3 text-xs [&>code]:bg-transparent [&>code]:p-0"
    >
      {children}
    </pre>
  ),
  code: ({ children }) => (
    <code className="rounded bg-raised px-1 text-[0.95em]">{told(children)}</code>
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

import { problemWords } from "@/features/account/problems";
import { hostOf } from "@/lib/forge";
import { saveReturnPath, signInUrl } from "@/lib/returnPath";

interface Props {
  forge: string;
  wanted: string;
  problem: string | null;
}

const MAY: readonly (readonly [sign: string, words: string])[] = [
  ["✓", "read your login name and which repositories you can see and change"],
  ["✓", "read the issues and the code of repositories that you choose"],
  ["✓", "push a new branch and open a draft pull request, for solves where you ask for one"],
  ["✗", "never merge, never push to an existing branch, never change workflows"],
  ["✗", "never give your token to a contestant: no token enters a sandbox"],
];

export function SignIn({ forge, wanted, problem }: Props) {
  return (
    <section aria-labelledby="sign-in" className="card enter flex flex-col gap-5 p-6 sm:p-8">
      <p className="text-2xl font-bold tracking-tight">
        <span className="text-accent-text">yu</span>dai
      </p>
      <h1 id="sign-in" className="text-lg font-semibold">
        Sign in to let contestants solve your issues
      </h1>
      {problem !== null && (
        <p
          role="alert"
          className="rounded-md border border-bad bg-bad-ground px-3 py-2 text-sm text-bad"
        >
          <span aria-hidden>✗ </span>
          {problemWords(problem)}
        </p>
      )}
      <a
        href={signInUrl(wanted)}
        onClick={() => saveReturnPath(wanted)}
        className="inline-flex min-h-11 items-center justify-center rounded-md border border-accent bg-accent px-4 py-2 font-semibold text-on-accent hover:brightness-110"
      >
        Sign in with GitHub
      </a>
      <div className="flex flex-col gap-2 text-sm">
        <h2 className="text-soft">What Yudai can do at {hostOf(forge) || "GitHub"}:</h2>
        <ul className="flex flex-col gap-1.5">
          {MAY.map(([sign, words]) => (
            <li key={words} className="flex gap-2">
              <span aria-hidden className={sign === "✓" ? "text-good" : "text-bad"}>
                {sign}
              </span>
              <span className="text-soft">{words}</span>
            </li>
          ))}
        </ul>
      </div>
      <p className="text-xs text-muted">
        You can revoke access at any time: here under Settings, or at GitHub under your
        applications. In a terminal, use <code>yudai login</code>.
      </p>
    </section>
  );
}

// Generated from docs/reference/openapi.json by `make gen`: do not edit.
export interface paths {
    "/api/solves": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Find
         * @description List solves, newest first.
         */
        get: operations["listSolves"];
        put?: never;
        /**
         * Create
         * @description Create a solve of an issue; contestants start as soon as the limits allow.
         */
        post: operations["createSolve"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/solves/{solve_id}/judge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Judge
         * @description Judge the patches of a solve again, in a new solve: same issue and base, today's rules.
         */
        post: operations["judgeSolve"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/solves/{solve_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read
         * @description Get a solve with its runs and timeline; use `updates` for live progress.
         */
        get: operations["getSolve"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/solves/{solve_id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel
         * @description Cancel a solve and its open runs; workers stop within two seconds.
         */
        post: operations["cancelSolve"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/solves/{solve_id}/champion": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Choose
         * @description Choose another champion than the ranking offers, with a reason.
         */
        post: operations["chooseChampion"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/solves/{solve_id}/apply": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Apply
         * @description Apply a patch to the solve's folder, or to a new branch there. This settles the solve.
         */
        post: operations["applyPatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/solves/{solve_id}/dismiss": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Dismiss
         * @description Complete the solve without taking a patch; its runs do not change.
         */
        post: operations["dismissSolve"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/solves/{solve_id}/questions/{question_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Answer
         * @description Answer a question; the solve is then ranked again from what is known.
         */
        post: operations["answerQuestion"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/solves/{solve_id}/updates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Updates
         * @description Poll every `poll_ms`, at once if there is `more`, until it is `terminal`.
         */
        get: operations["getUpdates"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/runs/{run_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read
         * @description Get a run, with links to its artifacts.
         */
        get: operations["getRun"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/runs/{run_id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel
         * @description Cancel this run; its worker stops within two seconds. Other runs continue.
         */
        post: operations["cancelRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/runs/{run_id}/attempts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Attempts
         * @description List attempts with their cost, the present one last.
         */
        get: operations["getRunAttempts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/runs/{run_id}/plan": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Plan
         * @description Get the agent's plan; `not_yet` until the agent has ended.
         */
        get: operations["getRunPlan"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/runs/{run_id}/tests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Tests
         * @description Get the verdict and the baseline of the base's own tests.
         */
        get: operations["getRunTests"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/runs/{run_id}/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Messages
         * @description List the newest messages, or those before a number, for scrolling up.
         */
        get: operations["getRunMessages"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/runs/{run_id}/steps": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Steps
         * @description List steps from the first, after a number, or the last ones before it.
         */
        get: operations["getRunSteps"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/runs/{run_id}/messages/{seq}/diff": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Diff At
         * @description Get the run's changes after the newest edit up to that message.
         */
        get: operations["getRunDiffAt"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/runs/{run_id}/messages/{seq}/raw": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Raw Message
         * @description Get a message in full; with an attempt the response can be cached forever.
         */
        get: operations["getRunMessageRaw"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/runs/{run_id}/steps/{number}/raw": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Raw Step
         * @description Get a step. Step 0 is everything before the model's first turn.
         */
        get: operations["getRunStepRaw"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/runs/{run_id}/trajectory.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Trajectory
         * @description Get the trajectory, of an active run up to now.
         */
        get: operations["getRunTrajectory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/runs/{run_id}/patch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Patch
         * @description Get the patch; `not_yet` until the agent has ended.
         */
        get: operations["getRunPatch"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/runs/{run_id}/logs/{kind}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Log
         * @description Get the log of set-up, of the agent up to now, or of the tests with or without the patch.
         */
        get: operations["getRunLog"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/conversations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List All
         * @description List conversations, newest first.
         */
        get: operations["listConversations"];
        put?: never;
        /**
         * Create
         * @description Create a conversation; its solves use its repository by default.
         */
        post: operations["createConversation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/conversations/{conversation_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read
         * @description Get a conversation with its solves, newest first.
         */
        get: operations["getConversation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/conversations/{conversation_id}/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Messages
         * @description List the newest messages, or those after or before a cursor, oldest first.
         */
        get: operations["listMessages"];
        put?: never;
        /**
         * Post
         * @description Post a message: a model answers free text, `/solve` starts a solve.
         */
        post: operations["postMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/conversations/{conversation_id}/issues/{number}/solve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Solve Issue
         * @description Start a solve whose milestones appear in the conversation.
         */
        post: operations["solveIssue"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/models": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Find
         * @description List models that a matrix can name, with aliases.
         */
        get: operations["listModels"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/models/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Put
         * @description Add or change an entry. Solves that are already open keep their prices.
         */
        put: operations["putModel"];
        post?: never;
        /**
         * Remove
         * @description Remove an added entry, or restore a packaged one.
         */
        delete: operations["removeModel"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/forecasts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Forecast
         * @description Check and price the body of POST /api/solves without starting or storing anything.
         *
         *     Every `issue_` field is optional here, because the issue may not be written yet.
         */
        post: operations["forecastSolve"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/repos": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Repos
         * @description List repositories of earlier solves, newest first.
         */
        get: operations["listRepos"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/demo": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Demo
         * @description Start the bundled demo: a sample repository and scripted contestants, without key or cost.
         */
        post: operations["startDemo"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Settings
         * @description Get the settings; of secrets only whether they are set.
         */
        get: operations["getSettings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/doctor": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Doctor
         * @description Check this machine: tools, folders, sandboxes.
         */
        get: operations["getDoctor"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/cost": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Cost
         * @description Get costs by day, model, strategy and repository.
         */
        get: operations["getCost"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Me
         * @description Get the caller, also without a login.
         */
        get: operations["getMe"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Log Out
         * @description End the login or key of this request, if any.
         */
        post: operations["logOut"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/login/device": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Begin Device
         * @description Start a terminal login: returns a code to type at the forge.
         */
        post: operations["beginDevice"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/login/device/poll": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Poll Device
         * @description Poll a terminal login; when it is done, the key is shown once.
         */
        post: operations["pollDevice"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Keys
         * @description List your keys, newest first.
         */
        get: operations["listKeys"];
        put?: never;
        /**
         * Create Key
         * @description Create a key for a program. A key created with another key expires no later than that.
         */
        post: operations["createKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/keys/{key_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke Key
         * @description Revoke a key.
         */
        delete: operations["revokeKey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/logins": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Logins
         * @description List your browser logins, last seen first.
         */
        get: operations["listLogins"];
        put?: never;
        post?: never;
        /**
         * End Logins
         * @description End all your browser logins, including this one.
         */
        delete: operations["endLogins"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/logins/{login_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * End Login
         * @description End the login of another browser.
         */
        delete: operations["endLogin"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/disconnect": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Disconnect
         * @description Forget your forge token and end all your keys and logins, including this one.
         */
        post: operations["disconnectForge"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/solves/{solve_id}/publish": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Publish
         * @description Open a draft pull request with the champion's patch; `publication` has its progress.
         */
        post: operations["publishSolve"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/solves/{solve_id}/publication": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read
         * @description Get the publication; 404 when none was requested.
         */
        get: operations["getPublication"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/solves/{solve_id}/outcomes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read Outcomes
         * @description Get the pull request as last seen, with its outcomes.
         */
        get: operations["getOutcomes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/solves/{solve_id}/outcomes/{outcome_id}/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Confirm Outcome
         * @description Confirm or reject a suspected revert, which has no effect before.
         */
        post: operations["confirmOutcome"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/forge/repos": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Repos
         * @description List your repositories at the forge, last pushed first.
         */
        get: operations["listForgeRepos"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/forge/repos/{owner}/{name}/issues": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Issues
         * @description List open issues, without pull requests.
         */
        get: operations["listForgeIssues"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/forge/repos/{owner}/{name}/issues/{number}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Preview
         * @description Preview the text that contestants would read, and what would be left out.
         */
        get: operations["previewForgeIssue"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/webhooks/github": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Take
         * @description Accept a webhook as a hint; workers then read the facts from the forge.
         */
        post: operations["takeWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sandboxes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Find
         * @description List open sandboxes at providers and in containers; local ones are not registered.
         */
        get: operations["listSandboxes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sandboxes/reap": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Reap
         * @description Remove leftovers of dead processes on every configured or used backend, and report them.
         */
        post: operations["reapSandboxes"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/bases": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Find Bases
         * @description List bases of this server's home, or of its account at a provider.
         */
        get: operations["listBases"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/bases/{key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove Base
         * @description Remove a base; it is built again when it is needed.
         */
        delete: operations["removeBase"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Metrics
         * @description Metrics for Prometheus. An administrator's read-only key is enough.
         */
        get: operations["getMetrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/health/live": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Live
         * @description Checks only this process: restart it when this does not respond.
         */
        get: operations["getLive"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/health/ready": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Ready
         * @description Checks database and engine: send requests elsewhere while this is a 503.
         */
        get: operations["getReady"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Begin
         * @description Redirect a browser to the forge's login.
         */
        get: operations["beginLogin"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/callback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Finish
         * @description Callback of the forge's login. On failure it redirects to `/login?problem=`.
         */
        get: operations["finishLogin"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/solve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create
         * @description The same as `POST /api/solves`.
         */
        post: operations["solve"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/solve/{solve_id}/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Status
         * @description State, progress and champion.
         */
        get: operations["getSolveStatus"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /**
         * AgainAsk
         * @description Only what can be different: patches, issue, base and tests are the earlier solve's.
         * @example {}
         * @example {
         *       "require_proof": false
         *     }
         */
        AgainAsk: {
            /**
             * Reducer
             * @description The rule that picks the champion.
             * @default evidence
             */
            reducer: string;
            /**
             * Require Proof
             * @description Whether a champion has to be proved by a test.
             * @default true
             */
            require_proof: boolean;
            /**
             * Max Parallel
             * @description Runs at once; unset: as in the earlier solve.
             */
            max_parallel?: number | null;
        };
        /**
         * AnswerAsk
         * @example {
         *       "choice": "accept"
         *     }
         */
        AnswerAsk: {
            /**
             * Choice
             * @description Id of one of the question's choices.
             */
            choice: string;
        };
        /** AppliedFacts */
        AppliedFacts: {
            /** At */
            at: number;
            /** Run Id */
            run_id: string;
            /**
             * Folder
             * @description The folder whose files were changed; empty for a branch.
             */
            folder: string;
            /** Branch */
            branch: string;
            /** Commit */
            commit: string;
        };
        /** AppliedView */
        AppliedView: {
            /** Run Id */
            run_id: string;
            /** Handle */
            handle: string;
            /** Root */
            root: string;
            /** Paths */
            paths: string[];
            /** Branch */
            branch: string;
            /** Commit */
            commit: string;
        };
        /**
         * ApplyAsk
         * @description How a patch is applied.
         * @example {}
         * @example {
         *       "branch": "fix/leap-years"
         *     }
         */
        ApplyAsk: {
            /**
             * Run Id
             * @description Unset: the champion's; else any run with a patch.
             * @default
             */
            run_id: string;
            /**
             * Branch
             * @description Set: one commit on this new branch; unset: the folder's files are changed.
             * @default
             */
            branch: string;
        };
        /**
         * AskedPatch
         * @description One of `patch`, `patch_base64`, `branch`, `commit` and `pull`.
         * @example {
         *       "handle": "codex",
         *       "patch": "diff --git a/calc.py b/calc.py\n..."
         *     }
         * @example {
         *       "author": "ada",
         *       "branch": "fix/leap-years"
         *     }
         */
        AskedPatch: {
            /**
             * Handle
             * @description Its name in the solve; unset: the branch's, commit's or pull request's.
             * @default
             */
            handle: string;
            /**
             * Author
             * @description Who wrote it. Patches of one author are not independent. Unset: unique.
             * @default
             */
            author: string;
            /**
             * Patch
             * @description Text of `git diff`, `diff -u` or `git format-patch`.
             * @default
             */
            patch: string;
            /**
             * Patch Base64
             * @description The same as Base64, for a patch that is not UTF-8.
             * @default
             */
            patch_base64: string;
            /**
             * Branch
             * @description A branch of the repository: what it changes since it left the base.
             * @default
             */
            branch: string;
            /**
             * Commit
             * @description A commit of the repository: what it changes in its (first) parent.
             * @default
             */
            commit: string;
            /**
             * Pull
             * @description A pull request of the forge's repository, by its number.
             */
            pull?: number | null;
        };
        /**
         * AskedPrice
         * @description Dollars per million tokens.
         */
        AskedPrice: {
            /** Input Usd */
            input_usd: number;
            /** Output Usd */
            output_usd: number;
            /**
             * Cached Usd
             * @description Unset: the price of other input.
             */
            cached_usd?: number | null;
        };
        /** AttemptList */
        AttemptList: {
            /** Run Id */
            run_id: string;
            /** Attempts */
            attempts: components["schemas"]["AttemptView"][];
        };
        /**
         * AttemptView
         * @description One attempt. All but the last ended for an infrastructure cause.
         */
        AttemptView: {
            /** @description `failed` for earlier attempts, whatever the run's state. */
            state: components["schemas"]["RunState"];
            cause: components["schemas"]["Cause"] | null;
            /** Error */
            error: string;
            /** Started At */
            started_at: number | null;
            /** Finished At */
            finished_at: number | null;
            /** Api Calls */
            api_calls: number;
            /** Cost Usd */
            cost_usd: number;
            /** Number */
            number: number;
            /** Message Count */
            message_count: number;
            tokens: components["schemas"]["Tokens"];
            /** Links */
            links: {
                [key: string]: string;
            };
        };
        /** BackendFinding */
        BackendFinding: {
            /** Name */
            name: string;
            /** Default */
            default: boolean;
            /** Usable */
            usable: boolean;
            /** Isolated */
            isolated: boolean;
            /** Detail */
            detail: string;
            /**
             * Set Up
             * @default true
             */
            set_up: boolean;
            /**
             * Version
             * @default
             */
            version: string;
            /**
             * Limits
             * @default
             */
            limits: string;
            /** Start Ms */
            start_ms?: number | null;
            /**
             * Guarantees
             * @default []
             */
            guarantees: components["schemas"]["Guarantee"][];
        };
        /** BaseList */
        BaseList: {
            /** Bases */
            bases: components["schemas"]["BaseView"][];
            /** Total Bytes */
            total_bytes: number;
        };
        /** BaseRemoved */
        BaseRemoved: {
            /** Key */
            key: string;
        };
        /**
         * BaseView
         * @description A prepared base.
         */
        BaseView: {
            /** Backend */
            backend: string;
            /** Key */
            key: string;
            /**
             * Size Bytes
             * @description null: unknown to its provider.
             */
            size_bytes: number | null;
            /** Made At */
            made_at: number;
            /**
             * Used At
             * @description When its last sandbox was created or ended.
             */
            used_at: number;
            /**
             * Users
             * @description Sandboxes that use it; a base in use cannot be removed.
             */
            users: number;
        };
        /**
         * BaselineFacts
         * @description Results of the base's own tests, before any change.
         */
        BaselineFacts: {
            /** Command */
            command: string;
            /** Executed */
            executed: number;
            /** Passing */
            passing: number;
            /** Failing */
            failing: number;
            /** Flaky */
            flaky: string[];
            /**
             * Failed
             * @description The first of those that fail.
             */
            failed: string[];
        };
        /**
         * BlockedEntry
         * @description A host that a sandbox tried to reach but may not.
         */
        BlockedEntry: {
            /** Run Id */
            run_id: string | null;
            /** Phase */
            phase: string;
            /** Host */
            host: string | null;
            /** Port */
            port: number | null;
        };
        /** Budget */
        Budget: {
            /**
             * Max Parallel
             * @default 4
             */
            max_parallel: number;
            /**
             * Max Contestants
             * @default 36
             */
            max_contestants: number;
            /**
             * Time Budget S
             * @default 5400
             */
            time_budget_s: number;
            /**
             * Run Time Budget S
             * @default 1800
             */
            run_time_budget_s: number;
            /**
             * Max Steps
             * @default 80
             */
            max_steps: number;
            /**
             * Cost Cap Micros
             * @default 5000000
             */
            cost_cap_micros: number;
            /**
             * Run Cost Cap Micros
             * @default 1000000
             */
            run_cost_cap_micros: number;
        };
        /**
         * Cause
         * @enum {string}
         */
        Cause: "sandbox_failed" | "sandbox_lost" | "sandbox_refused" | "setup_failed" | "model_failed" | "model_refused" | "context_overflow" | "script_exhausted" | "agent_failed" | "no_tool_calls" | "out_of_steps" | "out_of_time" | "out_of_budget" | "empty_patch" | "patch_refused" | "worker_lost" | "worker_left" | "store_failed" | "verification_failed" | "forge_failed" | "internal";
        /**
         * ChangedExpectation
         * @description A test of base in which this patch changes the expected value without weakening it.
         */
        ChangedExpectation: {
            /** Test */
            test: string;
            /** Before */
            before: string;
            /** Now */
            now: string;
            /**
             * Says
             * @default []
             */
            says: string[];
            /**
             * Accepted
             * @default false
             */
            accepted: boolean;
        };
        /** ChatMessage */
        ChatMessage: {
            /** Id */
            id: number;
            role: components["schemas"]["ChatRole"];
            /** Text */
            text: string;
            /** At */
            at: number;
            /** Solve Id */
            solve_id?: string | null;
            milestone?: components["schemas"]["Milestone"] | null;
            /** Links */
            links?: {
                [key: string]: string;
            };
            /** Reply To */
            reply_to?: number | null;
            /**
             * Cost Usd
             * @default 0
             */
            cost_usd: number;
        };
        /**
         * ChatRole
         * @enum {string}
         */
        ChatRole: "user" | "assistant" | "yudai";
        /**
         * Choice
         * @example {
         *       "reason": "It touches one file and reads best.",
         *       "run_id": "0190a000-0000-7000-8000-00000000aa01"
         *     }
         */
        "Choice-Input": {
            /**
             * Run Id
             * @description A completed run of this solve.
             */
            run_id: string;
            /**
             * Reason
             * @description One line: why this one.
             */
            reason: string;
        };
        /** Choice */
        "Choice-Output": {
            /** Id */
            id: string;
            /** Text */
            text: string;
        };
        /**
         * Code
         * @enum {string}
         */
        Code: "malformed_body" | "unauthenticated" | "forbidden" | "cross_origin" | "not_found" | "not_yet" | "method_not_allowed" | "conflict" | "too_large" | "unsupported_media_type" | "misdirected_host" | "invalid_body" | "invalid_parameter" | "refused" | "idempotency_key_reused" | "too_many_requests" | "internal" | "store_unavailable" | "engine_unavailable" | "forge_unavailable" | "sandbox_unavailable";
        /**
         * ConfirmAsk
         * @example {
         *       "is_revert": true
         *     }
         */
        ConfirmAsk: {
            /**
             * Is Revert
             * @description Whether the change was really taken back there.
             */
            is_revert: boolean;
        };
        /**
         * Contestant
         * @description One point of the matrix, or a patch that was given.
         */
        Contestant: {
            /**
             * Agent
             * @description `patch` for a patch that was given: no agent made it here.
             */
            agent: string;
            /**
             * Model
             * @description Empty for a patch that was given.
             */
            model: string;
            /** Temperature */
            temperature: number;
            /** Max Edits */
            max_edits: number;
            strategy: components["schemas"]["Strategy"];
            /** Handle */
            handle: string;
            /**
             * Author
             * @description Who wrote a patch that was given: patches of one author are not independent.
             * @default
             */
            author: string;
        };
        /** Conversation */
        Conversation: {
            /** Id */
            id: string;
            /** Title */
            title: string;
            /**
             * Repo Url
             * @default
             */
            repo_url: string;
            /**
             * Repo Path
             * @default
             */
            repo_path: string;
            /** Created At */
            created_at: number;
        };
        /**
         * ConversationAsk
         * @example {
         *       "repo_url": "https://github.com/owner/repo",
         *       "title": "Leap years"
         *     }
         * @example {
         *       "repo_path": "/home/ada/passbook",
         *       "title": "My own folder"
         *     }
         */
        ConversationAsk: {
            /**
             * Title
             * @default
             */
            title: string;
            /**
             * Repo Url
             * @description The default repository of its solves.
             * @default
             */
            repo_url: string;
            /**
             * Repo Path
             * @description In local mode instead of `repo_url`: the absolute path of a folder.
             * @default
             */
            repo_path: string;
            /**
             * Solve Id
             * @description A solve without a conversation, which joins this one.
             * @default
             */
            solve_id: string;
        };
        /** ConversationDetail */
        ConversationDetail: {
            /** Id */
            id: string;
            /** Title */
            title: string;
            /**
             * Repo Url
             * @default
             */
            repo_url: string;
            /**
             * Repo Path
             * @default
             */
            repo_path: string;
            /** Created At */
            created_at: number;
            /** Solves */
            solves: components["schemas"]["SolveSummary"][];
        };
        /**
         * ConversationPage
         * @description Newest first.
         */
        ConversationPage: {
            /** Conversations */
            conversations: components["schemas"]["Conversation"][];
            /** Cursor */
            cursor: string | null;
            /**
             * Reset
             * @default false
             */
            reset: boolean;
        };
        /** CostLine */
        CostLine: {
            /** Name */
            name: string;
            /** Cost Usd */
            cost_usd: number;
            /** Runs */
            runs: number;
            /**
             * Champions
             * @description How many of these runs became champions.
             */
            champions: number;
        };
        /** CostView */
        CostView: {
            /** Since */
            since: number;
            /** Total Usd */
            total_usd: number;
            /** Solves */
            solves: number;
            /** Champions */
            champions: number;
            /**
             * Per Champion Usd
             * @description null while there is no champion.
             */
            per_champion_usd: number | null;
            /**
             * Days
             * @description Every day, also those without cost.
             */
            days: components["schemas"]["DayCost"][];
            /**
             * Models
             * @description Most expensive first, like all lists here.
             */
            models: components["schemas"]["CostLine"][];
            /** Strategies */
            strategies: components["schemas"]["CostLine"][];
            /** Repos */
            repos: components["schemas"]["CostLine"][];
        };
        /** DayCost */
        DayCost: {
            /**
             * Day
             * @description As in 2026-11-16, in UTC.
             */
            day: string;
            /** Cost Usd */
            cost_usd: number;
            /** Solves */
            solves: number;
        };
        /**
         * DeviceAsk
         * @example {
         *       "name": "yudai at ada's laptop",
         *       "ticket": "0000000000000000000000000000000000000000000000000000000000000000"
         *     }
         */
        DeviceAsk: {
            /** Ticket */
            ticket: string;
            /**
             * Name
             * @description Name of the key.
             * @default yudai login
             */
            name: string;
        };
        /** DeviceBegun */
        DeviceBegun: {
            /**
             * Ticket
             * @description Sent to poll the login.
             */
            ticket: string;
            /**
             * User Code
             * @description The code to type there.
             */
            user_code: string;
            /** Verification Url */
            verification_url: string;
            /**
             * Interval S
             * @description Seconds between polls.
             */
            interval_s: number;
            /** Expires In S */
            expires_in_s: number;
        };
        /** DeviceView */
        DeviceView: {
            /** Done */
            done: boolean;
            /**
             * Wait S
             * @description Seconds until the next poll.
             */
            wait_s: number;
            /** Login */
            login?: string | null;
            /**
             * Key
             * @description Shown only once.
             */
            key?: string | null;
        };
        /**
         * DiffAt
         * @description The changes to the work tree after the newest edit up to a message.
         */
        DiffAt: {
            /** Run Id */
            run_id: string;
            /** Attempt */
            attempt: number;
            /**
             * Seq
             * @description The message with the newest edit; -1: no change yet.
             */
            seq: number;
            /**
             * Edit
             * @description The first edit is 1; 0: none yet.
             */
            edit: number;
            /** Patch */
            patch: string;
            /**
             * Truncated
             * @description The diff was too large to be stored in full.
             */
            truncated: boolean;
        };
        /**
         * DismissAsk
         * @example {
         *       "reason": "It rewrites half of the parser."
         *     }
         * @example {}
         */
        DismissAsk: {
            /**
             * Reason
             * @description One line for the timeline.
             * @default
             */
            reason: string;
        };
        /** DismissedFacts */
        DismissedFacts: {
            /** At */
            at: number;
            /** Reason */
            reason: string;
        };
        /**
         * EventView
         * @description One moment of the timeline.
         */
        EventView: {
            /** Id */
            id: number;
            /** At */
            at: number;
            /** Kind */
            kind: string;
            /** Run Id */
            run_id: string | null;
            /** Data */
            data: {
                [key: string]: unknown;
            };
        };
        /**
         * Evidence
         * @description The facts behind a verdict.
         */
        Evidence: {
            /**
             * Proved By
             * @default []
             */
            proved_by: string[];
            /**
             * Weighed
             * @default []
             */
            weighed: components["schemas"]["Weighed"][];
            /**
             * Changed Expectations
             * @default []
             */
            changed_expectations: components["schemas"]["ChangedExpectation"][];
            /**
             * Faster
             * @default []
             */
            faster: components["schemas"]["Faster"][];
            /**
             * Own Tests
             * @default []
             */
            own_tests: string[];
            /**
             * Valid Tests
             * @default []
             */
            valid_tests: string[];
            /**
             * Own Failed
             * @default []
             */
            own_failed: string[];
            /**
             * Cross Passed
             * @default []
             */
            cross_passed: string[];
            /**
             * Cross Failed
             * @default []
             */
            cross_failed: string[];
            /**
             * Joined
             * @default
             */
            joined: string;
            /**
             * Unsteady
             * @default []
             */
            unsteady: string[];
            /**
             * Values
             * @default []
             */
            values: string[];
            /**
             * Withheld
             * @default []
             */
            withheld: string[];
            /**
             * Support
             * @default 0
             */
            support: number;
            /**
             * Failures
             * @default 0
             */
            failures: number;
            /**
             * Size
             * @default 0
             */
            size: number;
            /**
             * Executed
             * @default 0
             */
            executed: number;
            /**
             * Baseline Executed
             * @default 0
             */
            baseline_executed: number;
        };
        /** Examination */
        Examination: {
            /** Version */
            version: string;
            /** Ready */
            ready: boolean;
            /** Findings */
            findings: components["schemas"]["Finding"][];
            /** Sandboxes */
            sandboxes: components["schemas"]["BackendFinding"][];
        };
        /**
         * Faster
         * @description A proof by speed: a test that passes on base and patch, and its seconds on both.
         */
        Faster: {
            /** Test */
            test: string;
            /** Base S */
            base_s: number;
            /** Patch S */
            patch_s: number;
            /**
             * Tied
             * @default false
             */
            tied: boolean;
        };
        /**
         * Fate
         * @description Result for a leftover; in a dry run, the expected one.
         * @enum {string}
         */
        Fate: "reaped" | "refused" | "waiting";
        /** FieldError */
        FieldError: {
            /** Field */
            field: string;
            /** Message */
            message: string;
        };
        /** Finding */
        Finding: {
            /** Name */
            name: string;
            /** Ok */
            ok: boolean;
            /** Detail */
            detail: string;
        };
        /**
         * FolderFacts
         * @description The folder as it was found.
         */
        FolderFacts: {
            /** Repo */
            repo: string;
            /** Root */
            root: string;
            /** Folder */
            folder: string;
            /** Branch */
            branch: string;
            /** Commit */
            commit: string;
            /** Dirty */
            dirty: boolean;
            /** Setup */
            setup: string[];
            /** Setup From */
            setup_from: string;
            /**
             * Test
             * @description The test command; empty: it will be detected.
             */
            test: string;
            /** Notes */
            notes: string[];
        };
        /** Forecast */
        Forecast: {
            /**
             * Total
             * @description Contestants in the matrix.
             */
            total: number;
            /** Starting */
            starting: number;
            /**
             * Not Started
             * @description Contestants above the limit, which do not start.
             */
            not_started: number;
            /**
             * Contestants
             * @description The first 100 that start.
             */
            contestants: components["schemas"]["Contestant"][];
            /** Max Parallel */
            max_parallel: number;
            /** Free */
            free: boolean;
            cost_usd: components["schemas"]["Span"];
            /**
             * Ceiling Usd
             * @description The most that can be spent.
             */
            ceiling_usd: number;
            /** @description Until the last contestant has ended; a rough guess: the middle half of what these models took in the newest solves, else 10 quick to 36 slow steps each, within the limits. The base's set-up comes before. */
            seconds: components["schemas"]["Span"];
            /** @description null if the repository is not on this machine. */
            folder: components["schemas"]["FolderFacts"] | null;
            /**
             * Command
             * @description The same on the command line; empty where that cannot do it: patches are files there.
             */
            command: string;
            /** @description The same as a body of POST /api/solves. */
            ask: components["schemas"]["SolveAsk"];
            /**
             * Lacks
             * @description What prevents the start, such as a missing key.
             */
            lacks: string[];
        };
        /** ForgeRepoList */
        ForgeRepoList: {
            /**
             * Forge
             * @description URL of the forge.
             */
            forge: string;
            /**
             * Repos
             * @description Last pushed first.
             */
            repos: components["schemas"]["RepoLine"][];
        };
        /**
         * Guarantee
         * @description A guarantee of a backend on this host, and how it is (or is not) kept.
         */
        Guarantee: {
            /** Name */
            name: string;
            /** Holds */
            holds: boolean;
            /** How */
            how: string;
        };
        /** Health */
        Health: {
            /**
             * Status
             * @default ok
             * @constant
             */
            status: "ok";
            /**
             * Version
             * @default 0.1.0
             */
            version: string;
        };
        /** Issue */
        Issue: {
            /** Title */
            title: string;
            /**
             * Body
             * @default
             */
            body: string;
            /** Number */
            number?: number | null;
        };
        /**
         * IssueAsk
         * @description A solve request; missing fields default to the conversation's, then to the service's.
         * @example {
         *       "limits": {
         *         "budget_usd": 2.5
         *       }
         *     }
         * @example {}
         */
        IssueAsk: {
            /**
             * Repo Url
             * @description `https://host/owner/name`, or `owner/name` at the forge that this server asks; in local mode also a folder, or `file://` one.
             * @default
             */
            repo_url: string;
            /**
             * Repo Path
             * @description In local mode instead of `repo_url`: a folder in a git repository, by its whole path.
             * @default
             */
            repo_path: string;
            /** Issue Number */
            issue_number?: number | null;
            /**
             * Issue Repo
             * @description Of a folder: `owner/name` at the forge that has the issue.
             * @default
             */
            issue_repo: string;
            /**
             * Issue Text
             * @description The issue as text; with `issue_number` it goes before the issue's own text.
             * @default
             */
            issue_text: string;
            /**
             * Issue Title
             * @description Unset: the first line of `issue_text`.
             * @default
             */
            issue_title: string;
            /**
             * Base Branch
             * @description A branch, or in a folder any commit; unset: the forge's default branch, or what is checked out in the folder.
             * @default
             */
            base_branch: string;
            /**
             * Dirty
             * @description Include a folder's uncommitted changes.
             * @default false
             */
            dirty: boolean;
            matrix?: components["schemas"]["Matrix"] | null;
            /**
             * Patches
             * @description Patches that exist: contestants that are only judged, beside the matrix or instead of it. They need no model and cost nothing.
             * @default []
             */
            patches: components["schemas"]["AskedPatch"][];
            /** @default {} */
            limits: components["schemas"]["Limits"];
            /**
             * Prices
             * @description For models without a known price.
             * @default {}
             */
            prices: {
                [key: string]: components["schemas"]["AskedPrice"];
            };
            /**
             * Setup
             * @description Set-up commands instead of the detected ones; []: none.
             */
            setup?: string[] | null;
            /**
             * Test
             * @description The test command instead of the detected one.
             * @default
             */
            test: string;
            /**
             * Env
             * @description A Python environment on this machine, used read-only instead of a set-up.
             * @default
             */
            env: string;
            /**
             * Reducer
             * @description The rule that picks the champion.
             * @default evidence
             */
            reducer: string;
            /**
             * Require Proof
             * @description Whether a champion has to be proved by a test.
             * @default true
             */
            require_proof: boolean;
            /** @description Whether the champion becomes a pull request: `auto` as soon as it is verified, `ask` on request, `never`; unset: the server's default. */
            publish?: components["schemas"]["PublishMode"] | null;
        };
        /**
         * IssueFacts
         * @description What was removed from an issue's text when it was read from the forge.
         */
        IssueFacts: {
            /** Url */
            url: string;
            /** Author */
            author: string;
            /** Taken At */
            taken_at: number;
            /**
             * Comments Used
             * @default 0
             */
            comments_used: number;
            /**
             * Comments Left Out
             * @default 0
             */
            comments_left_out: number;
            /**
             * Hidden Comments
             * @default 0
             */
            hidden_comments: number;
            /**
             * Hidden Characters
             * @default 0
             */
            hidden_characters: number;
            /**
             * Was Cut
             * @default false
             */
            was_cut: boolean;
        };
        /** IssueLine */
        IssueLine: {
            /** Number */
            number: number;
            /** Title */
            title: string;
            /** Author */
            author: string;
            /** Labels */
            labels: string[];
            /** Comments */
            comments: number;
            /** Created At */
            created_at: number;
            /** Updated At */
            updated_at: number;
            /** Url */
            url: string;
        };
        /** IssueList */
        IssueList: {
            repo: components["schemas"]["RepoLine"];
            /**
             * Issues
             * @description Last changed first.
             */
            issues: components["schemas"]["IssueLine"][];
            /** Page */
            page: number;
            /** Has More */
            has_more: boolean;
        };
        /** IssuePreview */
        IssuePreview: {
            /** Repo */
            repo: string;
            /** @description What contestants will read. */
            issue: components["schemas"]["Issue"];
            /** @description What was stripped from it or left out. */
            facts: components["schemas"]["IssueFacts"];
            /** Is Open */
            is_open: boolean;
            /** Labels */
            labels: string[];
            /** Characters */
            characters: number;
            /**
             * Tokens
             * @description Sent with every model call; a rough guess.
             */
            tokens: number;
        };
        /**
         * KeyAsk
         * @example {
         *       "days": 30,
         *       "name": "CI",
         *       "scopes": [
         *         "read",
         *         "run"
         *       ]
         *     }
         */
        KeyAsk: {
            /** Name */
            name: string;
            /**
             * Scopes
             * @default [
             *       "read"
             *     ]
             */
            scopes: components["schemas"]["Scope"][];
            /**
             * Days
             * @description Days until it expires; null: never.
             * @default 90
             */
            days: number | null;
        };
        /**
         * KeyFacts
         * @description A secret by its name; its value is never shown.
         */
        KeyFacts: {
            /** Name */
            name: string;
            /** Present */
            present: boolean;
            /** Purpose */
            purpose: string;
        };
        /** KeyList */
        KeyList: {
            /** Keys */
            keys: components["schemas"]["KeyView"][];
        };
        /** KeyView */
        KeyView: {
            /** Id */
            id: string;
            /** Name */
            name: string;
            /** Scopes */
            scopes: components["schemas"]["Scope"][];
            /** Created At */
            created_at: number;
            /**
             * Expires At
             * @description null: never.
             */
            expires_at: number | null;
            /**
             * Used At
             * @description Last use, to the minute; null: never.
             */
            used_at: number | null;
        };
        /**
         * LaneView
         * @description One run of a solve as it is now.
         */
        LaneView: {
            state: components["schemas"]["RunState"];
            cause: components["schemas"]["Cause"] | null;
            /** Error */
            error: string;
            /** Started At */
            started_at: number | null;
            /** Finished At */
            finished_at: number | null;
            /** Steps */
            steps: number;
            /** Cost Usd */
            cost_usd: number;
            /** Handle */
            handle: string;
            /** Files Changed */
            files_changed: number;
            /** Lines */
            lines: number;
            /** Id */
            id: string;
            /** Attempt */
            attempt: number;
            /** Edits */
            edits: number;
            /** Rank */
            rank: number | null;
            /** Submitted At */
            submitted_at: number | null;
            /**
             * Phase
             * @enum {string}
             */
            phase: "waiting" | "starting" | "working" | "verifying" | "done";
            /** Rev */
            rev: number;
            /** Step Limit */
            step_limit: number;
            /** Tokens */
            tokens: number;
            /** Elapsed Ms */
            elapsed_ms: number;
            /** Last Action */
            last_action: string;
            verdict: components["schemas"]["VerdictStatus"] | null;
            /**
             * Verdict Summary
             * @default
             */
            verdict_summary: string;
            tests: components["schemas"]["Tally"] | null;
            /** Marks */
            marks: components["schemas"]["MarkView"][];
            /** Url */
            url: string;
        };
        /**
         * Leftover
         * @description A sandbox, or an unfinished part of a backend, whose process is gone.
         */
        Leftover: {
            /** Backend */
            backend: string;
            /** Id */
            id: string;
            /**
             * Owner
             * @default
             */
            owner: string;
            /** Why */
            why: string;
            /** Age S */
            age_s?: number | null;
            /** @default reaped */
            fate: components["schemas"]["Fate"];
            /**
             * Note
             * @default
             */
            note: string;
        };
        /** LimitFacts */
        LimitFacts: {
            /**
             * Name
             * @description The environment variable.
             */
            name: string;
            /** Value */
            value: string;
            /** Description */
            description: string;
        };
        /**
         * Limits
         * @description Limits; missing ones are the server's defaults.
         */
        Limits: {
            /**
             * Max Parallel
             * @description Runs at once.
             */
            max_parallel?: number | null;
            /**
             * Max Runs
             * @description Most contestants; the server has a cap, too.
             */
            max_runs?: number | null;
            /**
             * Max Steps
             * @description Model calls of one run.
             */
            max_steps?: number | null;
            /**
             * Time Budget S
             * @description Seconds for all runs together.
             */
            time_budget_s?: number | null;
            /**
             * Run Time Budget S
             * @description Seconds for one run.
             */
            run_time_budget_s?: number | null;
            /**
             * Budget Usd
             * @description Dollars for all runs together.
             */
            budget_usd?: number | null;
            /**
             * Run Budget Usd
             * @description Dollars for one run.
             */
            run_budget_usd?: number | null;
        };
        /**
         * LogKind
         * @enum {string}
         */
        LogKind: "setup" | "agent" | "test" | "baseline" | "revalidation";
        /** LoginList */
        LoginList: {
            /** Logins */
            logins: components["schemas"]["LoginView"][];
        };
        /** LoginView */
        LoginView: {
            /** Id */
            id: string;
            /**
             * Agent
             * @description The browser's User-Agent.
             */
            agent: string;
            /** Created At */
            created_at: number;
            /**
             * Seen At
             * @description To the minute.
             */
            seen_at: number;
            /** Expires At */
            expires_at: number;
            /**
             * Present
             * @description Whether it is the login of this request.
             */
            present: boolean;
        };
        /**
         * MarkView
         * @description A moment of a run that the live view shows: its first edit, or tests that it ran.
         */
        MarkView: {
            /**
             * Kind
             * @enum {string}
             */
            kind: "edit" | "test";
            /** At */
            at: number;
            /** Step */
            step: number;
            /** Cost Usd */
            cost_usd: number;
            /** Ok */
            ok: boolean | null;
        };
        /**
         * Matrix
         * @description The axes a user gave; `temps` and `evolution` are accepted spellings.
         */
        Matrix: {
            /**
             * Models
             * @description None only where `patches` are the contestants.
             * @default []
             */
            models: string[];
            /**
             * Temperatures
             * @default [
             *       0.2
             *     ]
             */
            temperatures: number[];
            /**
             * Max Edits
             * @default [
             *       10
             *     ]
             */
            max_edits: number[];
            /**
             * Strategies
             * @default [
             *       "balanced"
             *     ]
             */
            strategies: components["schemas"]["Strategy"][];
            /**
             * Agents
             * @default [
             *       "mini-swe-agent"
             *     ]
             */
            agents: string[];
            /**
             * Temps
             * @description Another spelling of temperatures.
             */
            temps?: number[];
            /**
             * Evolution
             * @description Another spelling of strategies.
             */
            evolution?: components["schemas"]["Strategy"][];
        };
        /** Me */
        Me: {
            /** @description `local`: one person, no login. */
            mode: components["schemas"]["Mode"];
            /**
             * Needs Login
             * @description Whether other requests need a login first.
             */
            needs_login: boolean;
            /** User Id */
            user_id: string | null;
            /**
             * Login
             * @description At the forge.
             */
            login: string | null;
            /** Is Admin */
            is_admin: boolean;
            /**
             * Scopes
             * @description All scopes, unless the request uses a key.
             */
            scopes: components["schemas"]["Scope"][];
            /** Forge Url */
            forge_url: string;
            /** @description The default for solves. */
            publish: components["schemas"]["PublishMode"];
        };
        /**
         * MessageAsk
         * @example {
         *       "text": "/solve #12"
         *     }
         * @example {
         *       "text": "Why did no run pass?"
         *     }
         */
        MessageAsk: {
            /**
             * Text
             * @description Free text, or a command: `/solve #12 model=gpt-4.1 temp=0.2,0.6 budget=2.50`.
             */
            text: string;
        };
        /**
         * MessagePage
         * @description Oldest first.
         */
        MessagePage: {
            /** Messages */
            messages: components["schemas"]["ChatMessage"][];
            /** Before */
            before: string | null;
            /** After */
            after: string;
            /**
             * More
             * @default false
             */
            more: boolean;
            /**
             * Reset
             * @default false
             */
            reset: boolean;
        };
        /**
         * MessageView
         * @description One message; its `attempt` and `seq` name it within the run.
         */
        MessageView: {
            /** Attempt */
            attempt: number;
            /** Seq */
            seq: number;
            /** Step */
            step: number;
            /** Role */
            role: string;
            /**
             * Kind
             * @enum {string}
             */
            kind: "prompt" | "thought" | "command" | "output" | "exit";
            /** Is Test */
            is_test: boolean;
            /** Edit */
            edit: number | null;
            /** Text */
            text: string;
            /** Commands */
            commands: string[];
            /** Truncated */
            truncated: boolean;
            /** Bytes */
            bytes: number;
            /** Exit Code */
            exit_code: number | null;
            /** Cost Usd */
            cost_usd: number | null;
            /** Ms */
            ms: number | null;
            /** At */
            at: number;
            /** Raw */
            raw: string;
        };
        /**
         * Milestone
         * @description Progress messages of a solve, posted once each; most have the name of a state.
         * @enum {string}
         */
        Milestone: "queued" | "running" | "first_passing_run" | "asked" | "champion" | "awaiting_review" | "pull_request" | "completed" | "reverted" | "failed" | "cancelled";
        /**
         * Mode
         * @enum {string}
         */
        Mode: "local" | "github";
        /** ModelList */
        ModelList: {
            /** Models */
            models: components["schemas"]["ModelView"][];
        };
        /**
         * ModelPrice
         * @description Dollars per million tokens.
         */
        ModelPrice: {
            /** Input Usd */
            input_usd: number;
            /** Output Usd */
            output_usd: number;
            /**
             * Cached Usd
             * @description null: the price of other input.
             */
            cached_usd: number | null;
        };
        /**
         * ModelPut
         * @description Missing fields stay unchanged; a new model needs a price.
         * @example {
         *       "price": {
         *         "cached_usd": 0.5,
         *         "input_usd": 2,
         *         "output_usd": 8
         *       }
         *     }
         * @example {
         *       "aliases": [
         *         "qwen"
         *       ],
         *       "model_id": "qwen3:8b",
         *       "price": {
         *         "input_usd": 0,
         *         "output_usd": 0
         *       },
         *       "provider": "local"
         *     }
         */
        ModelPut: {
            price?: components["schemas"]["AskedPrice"] | null;
            /** Aliases */
            aliases?: string[] | null;
            /** Provider */
            provider?: ("openrouter" | "local") | null;
            /** Model Id */
            model_id?: string | null;
        };
        /** ModelRemoved */
        ModelRemoved: {
            /** @description The restored packaged entry; null when the entry was added by a user. */
            model: components["schemas"]["ModelView"] | null;
        };
        /** ModelView */
        ModelView: {
            /** Name */
            name: string;
            provider: components["schemas"]["Provider"];
            /**
             * Model Id
             * @description The provider's name for it.
             */
            model_id: string;
            /** Aliases */
            aliases: string[];
            /** @description null: unknown; the model cannot be used. */
            price: components["schemas"]["ModelPrice"] | null;
            /**
             * Edited
             * @description Whether a person changed it; packaged updates then skip it.
             */
            edited: boolean;
        };
        /** NewKey */
        NewKey: {
            /**
             * Key
             * @description Shown only once: only its hash is stored.
             */
            key: string;
            about: components["schemas"]["KeyView"];
        };
        /**
         * Origin
         * @description How a solve was requested.
         */
        Origin: {
            /** @default person */
            kind: components["schemas"]["OriginKind"];
            /**
             * Login
             * @default
             */
            login: string;
            /**
             * Url
             * @default
             */
            url: string;
        };
        /**
         * OriginKind
         * @enum {string}
         */
        OriginKind: "person" | "label" | "comment";
        /**
         * OutcomeKind
         * @enum {string}
         */
        OutcomeKind: "merged" | "closed" | "landed" | "reverted" | "reapplied" | "suspected_revert";
        /** OutcomeList */
        OutcomeList: {
            /** @description null: nothing was published. */
            pull: components["schemas"]["PullView"] | null;
            /**
             * Outcomes
             * @description In the order they were seen.
             */
            outcomes: components["schemas"]["OutcomeView"][];
        };
        /** OutcomeView */
        OutcomeView: {
            /** Id */
            id: number;
            kind: components["schemas"]["OutcomeKind"];
            /**
             * Run Id
             * @description The run of the patch.
             */
            run_id: string | null;
            /**
             * At
             * @description When it happened at the forge.
             */
            at: number;
            /** Seen At */
            seen_at: number;
            /**
             * By
             * @description Who did it, if known.
             */
            by: string;
            /**
             * Key
             * @description What identifies it, such as a commit.
             */
            key: string;
            /**
             * Evidence
             * @description What shows it: the sign, the commit, the pull request that did it; of a merge `self_merge`, whether the requester merged it.
             */
            evidence: {
                [key: string]: unknown;
            };
            /**
             * Waits
             * @description Whether a suspected revert waits for a person's answer.
             */
            waits: boolean;
            /**
             * Confirmed
             * @description A person's answer to a suspicion.
             */
            confirmed: boolean | null;
        };
        /** PlaceEntry */
        PlaceEntry: {
            /** Handle */
            handle: string;
            state: components["schemas"]["RunState"];
            cause: components["schemas"]["Cause"] | null;
            /** Files Changed */
            files_changed: number;
            /** Lines Changed */
            lines_changed: number;
            /** Cost Usd */
            cost_usd: number;
            /** Run Id */
            run_id: string;
            verdict: components["schemas"]["Verdict"];
            /**
             * Size
             * @description Lines of code changed, as the ranking counts them.
             * @default 0
             */
            size: number;
            /**
             * Same As
             * @description Handle of the equal answer that was verified in its place.
             */
            same_as?: string | null;
            /** Latency Ms */
            latency_ms: number;
            /** Rank */
            rank: number;
            /** Why */
            why: string;
        };
        /** PlanView */
        PlanView: {
            /** Run Id */
            run_id: string;
            /** Steps */
            steps: string[];
            /**
             * Before First Edit
             * @description Whether it was made before a file was changed.
             */
            before_first_edit: boolean;
        };
        /** Posted */
        Posted: {
            message: components["schemas"]["ChatMessage"];
            /** Solve Id */
            solve_id?: string | null;
        };
        /** Problem */
        Problem: {
            /**
             * Type
             * @description `/problems/` and the code.
             */
            type: string;
            /** Title */
            title: string;
            /** Status */
            status: number;
            /**
             * Detail
             * @description What is wrong and what to do.
             */
            detail: string;
            code: components["schemas"]["Code"];
            /**
             * Errors
             * @description Invalid fields.
             * @default null
             */
            errors: components["schemas"]["FieldError"][] | null;
            /**
             * State
             * @description The state that does not allow it.
             * @default null
             */
            state: string | null;
            /**
             * Command Line
             * @description `detail` for command-line users, if different.
             * @default null
             */
            command_line: string | null;
            /**
             * Request Id
             * @description Id of the request in the server's log.
             * @default null
             */
            request_id: string | null;
        };
        /**
         * Progress
         * @description How many runs are in which state.
         */
        Progress: {
            /** Total */
            total: number;
            /** Queued */
            queued: number;
            /** Running */
            running: number;
            /** Verifying */
            verifying: number;
            /** Completed */
            completed: number;
            /** Failed */
            failed: number;
            /** Cancelled */
            cancelled: number;
        };
        /**
         * ProofKind
         * @description The kinds of proof, the strongest first.
         * @enum {string}
         */
        ProofKind: "behaviour" | "interface" | "command" | "none";
        /**
         * Provider
         * @enum {string}
         */
        Provider: "openrouter" | "local" | "scripted";
        /**
         * PublicationState
         * @enum {string}
         */
        PublicationState: "requested" | "committed" | "pushed" | "opened" | "done" | "refused" | "stale";
        /** PublicationView */
        PublicationView: {
            /** Solve Id */
            solve_id: string;
            /**
             * Run Id
             * @description The run of the patch; null: only a comment.
             */
            run_id: string | null;
            state: components["schemas"]["PublicationState"];
            /**
             * Reason
             * @description Why it was refused or is stale: one line.
             */
            reason: string;
            /**
             * Error
             * @description The last error; the next try is at `due_at`.
             */
            error: string;
            /** Tries */
            tries: number;
            /**
             * Due At
             * @description Time of the next try, after an error.
             */
            due_at: number | null;
            /** Repo Url */
            repo_url: string;
            /** Base Branch */
            base_branch: string;
            /** Base Commit */
            base_commit: string;
            /** Branch */
            branch: string;
            /**
             * Head Repo
             * @description Repository of the branch; a fork without push access.
             */
            head_repo: string;
            /** Commit */
            commit: string;
            /** Pull Number */
            pull_number: number | null;
            /** Pull Url */
            pull_url: string;
            /** Pull Title */
            pull_title: string;
            pull_state: components["schemas"]["PullState"] | null;
            /** Is Draft */
            is_draft: boolean;
            /** Merged At */
            merged_at: number | null;
            /** Comment Url */
            comment_url: string;
            /** Created At */
            created_at: number;
            /** Updated At */
            updated_at: number;
        };
        /**
         * PublishMode
         * @enum {string}
         */
        PublishMode: "never" | "ask" | "auto";
        /**
         * PullState
         * @enum {string}
         */
        PullState: "open" | "merged" | "closed";
        /**
         * PullView
         * @description The pull request as it was when the forge was last asked.
         */
        PullView: {
            /** @description null: there is none yet. */
            state: components["schemas"]["PullState"] | null;
            /** Number */
            number: number | null;
            /** Url */
            url: string;
            /** Title */
            title: string;
            /** Is Draft */
            is_draft: boolean;
            /** Merge Commit */
            merge_commit: string;
            /** Merged At */
            merged_at: number | null;
            /** Looked At */
            looked_at: number;
            publication: components["schemas"]["PublicationState"];
            /**
             * Reason
             * @description Why it was refused or is stale; empty otherwise.
             */
            reason: string;
        };
        /**
         * QuestionKind
         * @enum {string}
         */
        QuestionKind: "expectation" | "behaviours" | "support" | "interface" | "no_proof" | "test" | "not_run";
        /**
         * QuestionView
         * @description A question that a person answers before there can be a champion.
         */
        QuestionView: {
            /** Id */
            id: string;
            /** Key */
            key: string;
            kind: components["schemas"]["QuestionKind"];
            /** Text */
            text: string;
            /** Choices */
            choices: components["schemas"]["Choice-Output"][];
            /**
             * Runs
             * @description The answers that it is about.
             */
            runs: string[];
            /**
             * Detail
             * @description What is needed to decide: plain, untrusted text.
             */
            detail: string;
            /** Asked At */
            asked_at: number;
            /**
             * Choice
             * @description Id of the chosen one; null: it is open.
             */
            choice: string | null;
            /** Answered By */
            answered_by: string;
            /** Answered At */
            answered_at: number | null;
        };
        /**
         * ReapAsk
         * @example {
         *       "dry_run": true
         *     }
         */
        ReapAsk: {
            /**
             * Dry Run
             * @description Only report what would be removed.
             * @default false
             */
            dry_run: boolean;
        };
        /** RecentRepo */
        RecentRepo: {
            /** Repo */
            repo: string;
            /** Repo Path */
            repo_path: string;
            /** Repo Url */
            repo_url: string;
            /**
             * Solves
             * @description Of the newest 1,000.
             */
            solves: number;
            /** Last Used At */
            last_used_at: number;
        };
        /** RepoLine */
        RepoLine: {
            /**
             * Name
             * @description `owner/name`
             */
            name: string;
            /** Url */
            url: string;
            /** Default Branch */
            default_branch: string;
            /** Is Private */
            is_private: boolean;
            /** Is Archived */
            is_archived: boolean;
            /** @description The caller's role. */
            role: components["schemas"]["Role"];
            /** Description */
            description: string;
            /** Open Issues */
            open_issues: number;
            /** Pushed At */
            pushed_at: number | null;
        };
        /** RepoList */
        RepoList: {
            /** Repos */
            repos: components["schemas"]["RecentRepo"][];
        };
        /**
         * Role
         * @description What a user may do in a repository, weakest first.
         * @enum {string}
         */
        Role: "none" | "read" | "triage" | "write" | "admin";
        /** RunDetail */
        RunDetail: {
            state: components["schemas"]["RunState"];
            cause: components["schemas"]["Cause"] | null;
            /** Error */
            error: string;
            /** Started At */
            started_at: number | null;
            /** Finished At */
            finished_at: number | null;
            /** Api Calls */
            api_calls: number;
            /**
             * Cost Usd
             * @description Cost of all attempts.
             */
            cost_usd: number;
            /** Handle */
            handle: string;
            /** Files Changed */
            files_changed: number;
            /** Lines Changed */
            lines_changed: number;
            /** Id */
            id: string;
            /**
             * Attempt
             * @description The attempt of the other numbers, except the cost.
             */
            attempt: number;
            /** Edits */
            edits: number;
            /** Rank */
            rank: number | null;
            /** Submitted At */
            submitted_at: number | null;
            /** Position */
            position: number;
            contestant: components["schemas"]["Contestant"];
            /** Exit Status */
            exit_status: string;
            /** Edits Capped */
            edits_capped: boolean;
            /** Message Count */
            message_count: number;
            tokens: components["schemas"]["Tokens"];
            /**
             * Earlier Cost Usd
             * @description Cost of the earlier attempts.
             */
            earlier_cost_usd: number;
            /** Latency Ms */
            latency_ms: number;
            verdict: components["schemas"]["Verdict"] | null;
            /** Why */
            why: string;
            /** Queued At */
            queued_at: number;
            /** Deadline At */
            deadline_at: number | null;
            /** Links */
            links: {
                [key: string]: string;
            };
            /** Solve Id */
            solve_id: string;
            /** Step Limit */
            step_limit: number;
            /** Sandbox Id */
            sandbox_id: string;
        };
        /**
         * RunState
         * @enum {string}
         */
        RunState: "queued" | "running" | "verifying" | "completed" | "failed" | "cancelled";
        /** RunView */
        RunView: {
            state: components["schemas"]["RunState"];
            cause: components["schemas"]["Cause"] | null;
            /** Error */
            error: string;
            /** Started At */
            started_at: number | null;
            /** Finished At */
            finished_at: number | null;
            /** Api Calls */
            api_calls: number;
            /**
             * Cost Usd
             * @description Cost of all attempts.
             */
            cost_usd: number;
            /** Handle */
            handle: string;
            /** Files Changed */
            files_changed: number;
            /** Lines Changed */
            lines_changed: number;
            /** Id */
            id: string;
            /**
             * Attempt
             * @description The attempt of the other numbers, except the cost.
             */
            attempt: number;
            /** Edits */
            edits: number;
            /** Rank */
            rank: number | null;
            /** Submitted At */
            submitted_at: number | null;
            /** Position */
            position: number;
            contestant: components["schemas"]["Contestant"];
            /** Exit Status */
            exit_status: string;
            /** Edits Capped */
            edits_capped: boolean;
            /** Message Count */
            message_count: number;
            tokens: components["schemas"]["Tokens"];
            /**
             * Earlier Cost Usd
             * @description Cost of the earlier attempts.
             */
            earlier_cost_usd: number;
            /** Latency Ms */
            latency_ms: number;
            verdict: components["schemas"]["Verdict"] | null;
            /** Why */
            why: string;
            /** Queued At */
            queued_at: number;
            /** Deadline At */
            deadline_at: number | null;
            /** Links */
            links: {
                [key: string]: string;
            };
        };
        /** SandboxList */
        SandboxList: {
            /**
             * Sandboxes
             * @description Oldest first.
             */
            sandboxes: components["schemas"]["SandboxView"][];
        };
        /** SandboxView */
        SandboxView: {
            /** Id */
            id: string;
            /** Backend */
            backend: string;
            /**
             * External
             * @description What its provider calls it; "" while it is being made.
             */
            external: string;
            /** Owner */
            owner: string;
            /** @description Its owner, as the provider shows it. */
            tags: components["schemas"]["Tags"];
            /**
             * Base
             * @description The prepared base that it stands on; "": none.
             */
            base: string;
            /** Age S */
            age_s: number;
            /**
             * Held
             * @description Whether the process that requested it is alive and uses it.
             */
            held: boolean;
        };
        /**
         * Scope
         * @enum {string}
         */
        Scope: "read" | "run" | "publish";
        /** SettingsView */
        SettingsView: {
            /** Version */
            version: string;
            /**
             * Mode
             * @description `local`: one person, no login; `github`: everyone signs in.
             */
            mode: string;
            /**
             * Forge
             * @description URL of the forge.
             */
            forge: string;
            /** @description When a pull request is opened by default. */
            publish: components["schemas"]["PublishMode"];
            /**
             * Label
             * @description The label that requests a solve.
             */
            label: string;
            /**
             * Watched
             * @description Repositories that are polled.
             */
            watched: string[];
            /** Home */
            home: string;
            /**
             * Database
             * @description `SQLite` or `PostgreSQL`; never its address.
             */
            database: string;
            /** Artifacts */
            artifacts: string;
            /** Keys */
            keys: components["schemas"]["KeyFacts"][];
            /** Limits */
            limits: components["schemas"]["LimitFacts"][];
        };
        /**
         * SolveAsk
         * @example {
         *       "base_branch": "main",
         *       "issue_number": 123,
         *       "limits": {
         *         "max_parallel": 6,
         *         "time_budget_s": 1800
         *       },
         *       "matrix": {
         *         "evolution": [
         *           "test-first",
         *           "stacktrace-first",
         *           "small-steps"
         *         ],
         *         "max_edits": [
         *           3,
         *           5
         *         ],
         *         "models": [
         *           "gpt-4.1",
         *           "claude-3.7-sonnet",
         *           "local-solo"
         *         ],
         *         "temps": [
         *           0.2,
         *           0.6
         *         ]
         *       },
         *       "repo_url": "https://github.com/owner/repo"
         *     }
         * @example {
         *       "issue_text": "Interest is wrong in leap years\n\nA year of 366 days earns a day too little.",
         *       "limits": {
         *         "budget_usd": 2.5,
         *         "max_runs": 4
         *       },
         *       "matrix": {
         *         "models": [
         *           "gpt-4.1"
         *         ],
         *         "strategies": [
         *           "test-first"
         *         ],
         *         "temperatures": [
         *           0.2,
         *           0.8
         *         ]
         *       },
         *       "prices": {
         *         "gpt-4.1": {
         *           "cached_usd": 0.5,
         *           "input_usd": 2,
         *           "output_usd": 8
         *         }
         *       },
         *       "repo_path": "/home/ada/passbook"
         *     }
         * @example {
         *       "issue_text": "Interest is wrong in leap years",
         *       "patches": [
         *         {
         *           "handle": "codex",
         *           "patch": "diff --git a/calc.py b/calc.py\n..."
         *         },
         *         {
         *           "author": "ada",
         *           "branch": "fix/leap-years"
         *         }
         *       ],
         *       "repo_path": "/home/ada/passbook"
         *     }
         */
        SolveAsk: {
            /**
             * Repo Url
             * @description `https://host/owner/name`, or `owner/name` at the forge that this server asks; in local mode also a folder, or `file://` one.
             * @default
             */
            repo_url: string;
            /**
             * Repo Path
             * @description In local mode instead of `repo_url`: a folder in a git repository, by its whole path.
             * @default
             */
            repo_path: string;
            /** Issue Number */
            issue_number?: number | null;
            /**
             * Issue Repo
             * @description Of a folder: `owner/name` at the forge that has the issue.
             * @default
             */
            issue_repo: string;
            /**
             * Issue Text
             * @description The issue as text; with `issue_number` it goes before the issue's own text.
             * @default
             */
            issue_text: string;
            /**
             * Issue Title
             * @description Unset: the first line of `issue_text`.
             * @default
             */
            issue_title: string;
            /**
             * Base Branch
             * @description A branch, or in a folder any commit; unset: the forge's default branch, or what is checked out in the folder.
             * @default
             */
            base_branch: string;
            /**
             * Dirty
             * @description Include a folder's uncommitted changes.
             * @default false
             */
            dirty: boolean;
            /**
             * @description The agents' contestants; may be missing beside `patches`.
             * @default {
             *       "models": [],
             *       "temperatures": [
             *         0.2
             *       ],
             *       "max_edits": [
             *         10
             *       ],
             *       "strategies": [
             *         "balanced"
             *       ],
             *       "agents": [
             *         "mini-swe-agent"
             *       ]
             *     }
             */
            matrix: components["schemas"]["Matrix"];
            /**
             * Patches
             * @description Patches that exist: contestants that are only judged, beside the matrix or instead of it. They need no model and cost nothing.
             * @default []
             */
            patches: components["schemas"]["AskedPatch"][];
            /** @default {} */
            limits: components["schemas"]["Limits"];
            /**
             * Prices
             * @description For models without a known price.
             * @default {}
             */
            prices: {
                [key: string]: components["schemas"]["AskedPrice"];
            };
            /**
             * Setup
             * @description Set-up commands instead of the detected ones; []: none.
             */
            setup?: string[] | null;
            /**
             * Test
             * @description The test command instead of the detected one.
             * @default
             */
            test: string;
            /**
             * Env
             * @description A Python environment on this machine, used read-only instead of a set-up.
             * @default
             */
            env: string;
            /**
             * Reducer
             * @description The rule that picks the champion.
             * @default evidence
             */
            reducer: string;
            /**
             * Require Proof
             * @description Whether a champion has to be proved by a test.
             * @default true
             */
            require_proof: boolean;
            /** @description Whether the champion becomes a pull request: `auto` as soon as it is verified, `ask` on request, `never`; unset: the server's default. */
            publish?: components["schemas"]["PublishMode"] | null;
        };
        /** SolveEntry */
        SolveEntry: {
            /** Id */
            id: string;
            state: components["schemas"]["SolveState"];
            /** Repo */
            repo: string;
            /** Issue */
            issue: string;
            /** Cost Usd */
            cost_usd: number;
            /** Elapsed S */
            elapsed_s: number;
            /**
             * Champion
             * @description The champion's run.
             */
            champion: string | null;
            /** Folder */
            folder?: string | null;
        };
        /** SolvePage */
        SolvePage: {
            /** Solves */
            solves: components["schemas"]["SolveSummary"][];
            /**
             * Cursor
             * @description For the next page; null on the last one.
             */
            cursor: string | null;
            /**
             * Reset
             * @description The cursor was invalid, so this is the first page.
             * @default false
             */
            reset: boolean;
        };
        /**
         * SolveState
         * @enum {string}
         */
        SolveState: "queued" | "running" | "awaiting_review" | "completed" | "failed" | "cancelled";
        /** SolveSummary */
        SolveSummary: {
            progress: components["schemas"]["Progress"];
            /**
             * Created At
             * @description Seconds since the epoch, like all times.
             */
            created_at: number;
            /** Started At */
            started_at: number | null;
            /** Finished At */
            finished_at: number | null;
            /** Deadline At */
            deadline_at: number | null;
            /** Id */
            id: string;
            state: components["schemas"]["SolveState"];
            /** Repo */
            repo: string;
            /** Issue */
            issue: string;
            /** Cost Usd */
            cost_usd: number;
            /** Elapsed S */
            elapsed_s: number;
            /**
             * Champion
             * @description The champion's run.
             */
            champion: string | null;
            /** Champion Handle */
            champion_handle: string;
            /** @description The champion's tests, once it is verified. */
            tests: components["schemas"]["Tally"] | null;
            /**
             * Reason
             * @description One line: why this champion, or why none.
             */
            reason: string;
            /** Conversation Id */
            conversation_id: string | null;
            /** Links */
            links: {
                [key: string]: string;
            };
        };
        /**
         * SolveView
         * @description A solve with everything except the trajectories.
         */
        SolveView: {
            progress: components["schemas"]["Progress"];
            /**
             * Created At
             * @description Seconds since the epoch, like all times.
             */
            created_at: number;
            /** Started At */
            started_at: number | null;
            /** Finished At */
            finished_at: number | null;
            /** Deadline At */
            deadline_at: number | null;
            /**
             * Can Apply
             * @description Whether the champion's patch can be applied to a folder.
             */
            can_apply: boolean;
            /**
             * Cannot Apply Because
             * @description The reason; empty if it can be applied.
             */
            cannot_apply_because: string;
            /** @description The last time that a patch was applied. */
            applied: components["schemas"]["AppliedFacts"] | null;
            dismissed: components["schemas"]["DismissedFacts"] | null;
            solve: components["schemas"]["SolveEntry"];
            /** Ranking */
            ranking: components["schemas"]["PlaceEntry"][];
            /**
             * Questions
             * @default []
             */
            questions: components["schemas"]["QuestionView"][];
            /** Not Started */
            not_started: string[];
            /** Reason */
            reason: string;
            /** Budget Ended */
            budget_ended?: string | null;
            /**
             * Blocked
             * @default []
             */
            blocked: components["schemas"]["BlockedEntry"][];
            /**
             * Partial
             * @default
             */
            partial: string;
            matrix: components["schemas"]["Matrix"];
            budget: components["schemas"]["Budget"];
            /** Runs */
            runs: components["schemas"]["RunView"][];
            /** Events */
            events: components["schemas"]["EventView"][];
            /** Conversation Id */
            conversation_id: string | null;
            /** Issue Title */
            issue_title: string;
            /** Issue Body */
            issue_body: string;
            /** Issue Number */
            issue_number: number | null;
            /** @description null: the issue is not from a forge. */
            issue_facts: components["schemas"]["IssueFacts"] | null;
            /** @description How it was requested. */
            origin: components["schemas"]["Origin"] | null;
            /** @description Its pull request or comment. */
            publication: components["schemas"]["PublicationView"] | null;
            /** Repo Url */
            repo_url: string;
            /** @description null: the solve is not from a forge. */
            publish: components["schemas"]["PublishMode"] | null;
            /** Base Branch */
            base_branch: string;
            /** Base Commit */
            base_commit: string;
            /** Reducer */
            reducer: string;
            /** Require Proof */
            require_proof: boolean;
            /** Test Command */
            test_command: string;
            /** Error */
            error: string;
            /** Links */
            links: {
                [key: string]: string;
            };
        };
        /** Span */
        Span: {
            /** Low */
            low: number;
            /** High */
            high: number;
        };
        /** StepPage */
        StepPage: {
            /** Run Id */
            run_id: string;
            /** Attempt */
            attempt: number;
            /**
             * Last
             * @description The number of the newest step; -1: there is none yet.
             */
            last: number;
            /** Steps */
            steps: components["schemas"]["StepView"][];
            /** Earlier */
            earlier: string | null;
            /** Later */
            later: string | null;
        };
        /** StepView */
        StepView: {
            /** Number */
            number: number;
            /** At */
            at: number;
            /** Seconds */
            seconds: number;
            /** Messages */
            messages: components["schemas"]["MessageView"][];
            /**
             * Truncated
             * @description There are more messages than are shown.
             */
            truncated: boolean;
            /** Raw */
            raw: string;
        };
        /**
         * Strategy
         * @enum {string}
         */
        Strategy: "balanced" | "test-first" | "stacktrace-first" | "small-steps" | "minimal-fix";
        /**
         * Subject
         * @description What a test can check instead of the product's behaviour.
         * @enum {string}
         */
        Subject: "source text" | "a document" | "a data file" | "a private name" | "wording" | "timing";
        /**
         * Swept
         * @description Result of one sweep.
         */
        Swept: {
            /** Dry Run */
            dry_run: boolean;
            /** Leftovers */
            leftovers: components["schemas"]["Leftover"][];
            /**
             * Failures
             * @description Backends that could not be checked.
             */
            failures: components["schemas"]["Unswept"][];
        };
        /**
         * Tags
         * @description Tags of a sandbox's owner, as the provider shows them; "": unknown.
         */
        Tags: {
            /**
             * Solve
             * @default
             */
            solve: string;
            /**
             * Run
             * @default
             */
            run: string;
            /**
             * Conversation
             * @default
             */
            conversation: string;
            /**
             * Issue
             * @default
             */
            issue: string;
            /**
             * User
             * @default
             */
            user: string;
        };
        /** Tally */
        Tally: {
            /** Passed */
            passed: number;
            /** Failed */
            failed: number;
            /** Total */
            total: number;
        };
        /** TestsView */
        TestsView: {
            /** Run Id */
            run_id: string;
            verdict: components["schemas"]["Verdict"];
            tests: components["schemas"]["Tally"] | null;
            baseline: components["schemas"]["BaselineFacts"] | null;
            /** Links */
            links: {
                [key: string]: string;
            };
        };
        /** Tokens */
        Tokens: {
            /** Input */
            input: number;
            /** Cached */
            cached: number;
            /** Output */
            output: number;
        };
        /** TrajectoryPage */
        TrajectoryPage: {
            /** Run Id */
            run_id: string;
            /** Attempt */
            attempt: number;
            /**
             * Messages
             * @description In the order of `seq`.
             */
            messages: components["schemas"]["MessageView"][];
            /**
             * Earlier
             * @description The page before this one; null on the first.
             */
            earlier: string | null;
        };
        /** Unswept */
        Unswept: {
            /** Backend */
            backend: string;
            /**
             * Error
             * @description In one line.
             */
            error: string;
        };
        /**
         * UpdatesView
         * @description Merge lanes by `id`, events by `id`, messages by (run, `attempt`, `seq`).
         */
        UpdatesView: {
            /** Cursor */
            cursor: string;
            /** Epoch */
            epoch: string;
            /** Server Time */
            server_time: number;
            /** Poll Ms */
            poll_ms: number;
            /** Terminal */
            terminal: boolean;
            /** Reset */
            reset: boolean;
            /** More */
            more: boolean;
            solve: components["schemas"]["WatchedSolve"] | null;
            /** Lanes */
            lanes: components["schemas"]["LaneView"][];
            /** Events */
            events: components["schemas"]["EventView"][];
            /** Messages */
            messages: {
                [key: string]: components["schemas"]["MessageView"][];
            };
            /** Resets */
            resets: string[];
            /** Unknown */
            unknown: string[];
        };
        /** Verdict */
        Verdict: {
            status: components["schemas"]["VerdictStatus"];
            /** @default none */
            proof: components["schemas"]["ProofKind"];
            /**
             * Tied
             * @default false
             */
            tied: boolean;
            /**
             * Convicted By
             * @default []
             */
            convicted_by: string[];
            /**
             * Not Run
             * @default []
             */
            not_run: string[];
            /**
             * Same As
             * @default
             */
            same_as: string;
            /**
             * Agreement
             * @default 1
             */
            agreement: number;
            /**
             * Rules
             * @default 0
             */
            rules: number;
            /**
             * Fixed
             * @default []
             */
            fixed: string[];
            /**
             * Broken
             * @default []
             */
            broken: string[];
            /**
             * Flaky
             * @default []
             */
            flaky: string[];
            /**
             * Missing
             * @default []
             */
            missing: string[];
            /**
             * Tampered
             * @default []
             */
            tampered: string[];
            /**
             * @default {
             *       "proved_by": [],
             *       "weighed": [],
             *       "changed_expectations": [],
             *       "faster": [],
             *       "own_tests": [],
             *       "valid_tests": [],
             *       "own_failed": [],
             *       "cross_passed": [],
             *       "cross_failed": [],
             *       "joined": "",
             *       "unsteady": [],
             *       "values": [],
             *       "withheld": [],
             *       "support": 0,
             *       "failures": 0,
             *       "size": 0,
             *       "executed": 0,
             *       "baseline_executed": 0
             *     }
             */
            evidence: components["schemas"]["Evidence"];
            /**
             * Summary
             * @default
             */
            summary: string;
        };
        /**
         * VerdictStatus
         * @enum {string}
         */
        VerdictStatus: "passed" | "unproved" | "failed" | "unverified" | "none";
        /** WatchedSolve */
        WatchedSolve: {
            progress: components["schemas"]["Progress"];
            /**
             * Created At
             * @description Seconds since the epoch, like all times.
             */
            created_at: number;
            /** Started At */
            started_at: number | null;
            /** Finished At */
            finished_at: number | null;
            /** Deadline At */
            deadline_at: number | null;
            state: components["schemas"]["SolveState"];
            /** Champion */
            champion: string | null;
            /** Cost Usd */
            cost_usd: number;
            /** Cost Cap Usd */
            cost_cap_usd: number;
            /** Reason */
            reason: string;
        };
        /**
         * Weighed
         * @description A valid test of this patch, and the facts that decide whether it proves.
         */
        Weighed: {
            /** Test */
            test: string;
            kind: components["schemas"]["ProofKind"];
            /**
             * Tied
             * @default false
             */
            tied: boolean;
            /**
             * Subjects
             * @default []
             */
            subjects: components["schemas"]["Subject"][];
            /**
             * Symbols
             * @default []
             */
            symbols: string[];
            /**
             * Support
             * @default 0
             */
            support: number;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listSolves: {
        parameters: {
            query?: {
                limit?: number;
                /** @description Cursor of the previous page. */
                cursor?: string;
                /** @description One or several. */
                state?: components["schemas"]["SolveState"][] | null;
                /** @description Exactly this repository. */
                repo?: string;
                /** @description Part of the issue or repository. */
                q?: string;
                conversation_id?: string | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SolvePage"];
                };
            };
            /** @description This needs a login or a key (`unauthenticated`). */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`forbidden`). Another site's page may not do this (`cross_origin`). */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large (`too_large`). */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This server does not answer to that host name (`misdirected_host`). */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is invalid (`invalid_body`). A parameter is invalid (`invalid_parameter`). The request is refused (`refused`). The key was used for another request (`idempotency_key_reused`). */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests (`too_many_requests`). */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Yudai failed: this is our fault (`internal`). */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database or artifact store is temporarily unavailable (`store_unavailable`). The engine is temporarily unavailable (`engine_unavailable`). The forge is temporarily unavailable (`forge_unavailable`). Sandboxes are temporarily unavailable (`sandbox_unavailable`). */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createSolve: {
        parameters: {
            query?: never;
            header?: {
                /** @description Requests with the same key and body are executed once. */
                "Idempotency-Key"?: string | null;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SolveAsk"];
            };
        };
        responses: {
            /** @description The solve is stored and will run. */
            202: {
                headers: {
                    /** @description Path to read it from. */
                    Location?: string;
                    /** @description `true` if an earlier request with this key created it. */
                    "Idempotency-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SolveSummary"];
                };
            };
            /** @description The body is not JSON (`malformed_body`). */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This needs a login or a key (`unauthenticated`). */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`forbidden`). Another site's page may not do this (`cross_origin`). */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large (`too_large`). */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body has to be plain application/json (`unsupported_media_type`). */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This server does not answer to that host name (`misdirected_host`). */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is invalid (`invalid_body`). A parameter is invalid (`invalid_parameter`). The request is refused (`refused`). The key was used for another request (`idempotency_key_reused`). */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests (`too_many_requests`). */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Yudai failed: this is our fault (`internal`). */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database or artifact store is temporarily unavailable (`store_unavailable`). The engine is temporarily unavailable (`engine_unavailable`). The forge is temporarily unavailable (`forge_unavailable`). Sandboxes are temporarily unavailable (`sandbox_unavailable`). */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    judgeSolve: {
        parameters: {
            query?: never;
            header?: {
                /** @description Requests with the same key and body are executed once. */
                "Idempotency-Key"?: string | null;
            };
            path: {
                solve_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AgainAsk"];
            };
        };
        responses: {
            /** @description The solve is stored and will run. */
            202: {
                headers: {
                    /** @description Path to read it from. */
                    Location?: string;
                    /** @description `true` if an earlier request with this key created it. */
                    "Idempotency-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SolveSummary"];
                };
            };
            /** @description The body is not JSON (`malformed_body`). */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This needs a login or a key (`unauthenticated`). */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`forbidden`). Another site's page may not do this (`cross_origin`). */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`not_found`). The run has not reached this yet, or ended before (`not_yet`). */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large (`too_large`). */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body has to be plain application/json (`unsupported_media_type`). */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This server does not answer to that host name (`misdirected_host`). */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is invalid (`invalid_body`). A parameter is invalid (`invalid_parameter`). The request is refused (`refused`). The key was used for another request (`idempotency_key_reused`). */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests (`too_many_requests`). */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Yudai failed: this is our fault (`internal`). */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database or artifact store is temporarily unavailable (`store_unavailable`). The engine is temporarily unavailable (`engine_unavailable`). The forge is temporarily unavailable (`forge_unavailable`). Sandboxes are temporarily unavailable (`sandbox_unavailable`). */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getSolve: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                solve_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SolveView"];
                };
            };
            /** @description This needs a login or a key (`unauthenticated`). */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`forbidden`). Another site's page may not do this (`cross_origin`). */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`not_found`). The run has not reached this yet, or ended before (`not_yet`). */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large (`too_large`). */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This server does not answer to that host name (`misdirected_host`). */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is invalid (`invalid_body`). A parameter is invalid (`invalid_parameter`). The request is refused (`refused`). The key was used for another request (`idempotency_key_reused`). */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests (`too_many_requests`). */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Yudai failed: this is our fault (`internal`). */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database or artifact store is temporarily unavailable (`store_unavailable`). The engine is temporarily unavailable (`engine_unavailable`). The forge is temporarily unavailable (`forge_unavailable`). Sandboxes are temporarily unavailable (`sandbox_unavailable`). */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    cancelSolve: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                solve_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SolveSummary"];
                };
            };
            /** @description This needs a login or a key (`unauthenticated`). */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`forbidden`). Another site's page may not do this (`cross_origin`). */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`not_found`). The run has not reached this yet, or ended before (`not_yet`). */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Its state does not allow this. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large (`too_large`). */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body has to be plain application/json (`unsupported_media_type`). */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This server does not answer to that host name (`misdirected_host`). */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is invalid (`invalid_body`). A parameter is invalid (`invalid_parameter`). The request is refused (`refused`). The key was used for another request (`idempotency_key_reused`). */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests (`too_many_requests`). */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Yudai failed: this is our fault (`internal`). */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database or artifact store is temporarily unavailable (`store_unavailable`). The engine is temporarily unavailable (`engine_unavailable`). The forge is temporarily unavailable (`forge_unavailable`). Sandboxes are temporarily unavailable (`sandbox_unavailable`). */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    chooseChampion: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                solve_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Choice-Input"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SolveSummary"];
                };
            };
            /** @description The body is not JSON (`malformed_body`). */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This needs a login or a key (`unauthenticated`). */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`forbidden`). Another site's page may not do this (`cross_origin`). */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`not_found`). The run has not reached this yet, or ended before (`not_yet`). */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Its state does not allow this. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large (`too_large`). */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body has to be plain application/json (`unsupported_media_type`). */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This server does not answer to that host name (`misdirected_host`). */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is invalid (`invalid_body`). A parameter is invalid (`invalid_parameter`). The request is refused (`refused`). The key was used for another request (`idempotency_key_reused`). */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests (`too_many_requests`). */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Yudai failed: this is our fault (`internal`). */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database or artifact store is temporarily unavailable (`store_unavailable`). The engine is temporarily unavailable (`engine_unavailable`). The forge is temporarily unavailable (`forge_unavailable`). Sandboxes are temporarily unavailable (`sandbox_unavailable`). */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    applyPatch: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                solve_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ApplyAsk"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AppliedView"];
                };
            };
            /** @description The body is not JSON (`malformed_body`). */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This needs a login or a key (`unauthenticated`). */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`forbidden`). Another site's page may not do this (`cross_origin`). */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`not_found`). The run has not reached this yet, or ended before (`not_yet`). */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Its state does not allow this. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large (`too_large`). */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body has to be plain application/json (`unsupported_media_type`). */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This server does not answer to that host name (`misdirected_host`). */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is invalid (`invalid_body`). A parameter is invalid (`invalid_parameter`). The request is refused (`refused`). The key was used for another request (`idempotency_key_reused`). */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests (`too_many_requests`). */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Yudai failed: this is our fault (`internal`). */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database or artifact store is temporarily unavailable (`store_unavailable`). The engine is temporarily unavailable (`engine_unavailable`). The forge is temporarily unavailable (`forge_unavailable`). Sandboxes are temporarily unavailable (`sandbox_unavailable`). */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    dismissSolve: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                solve_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DismissAsk"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SolveSummary"];
                };
            };
            /** @description The body is not JSON (`malformed_body`). */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This needs a login or a key (`unauthenticated`). */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`forbidden`). Another site's page may not do this (`cross_origin`). */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`not_found`). The run has not reached this yet, or ended before (`not_yet`). */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Its state does not allow this. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large (`too_large`). */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body has to be plain application/json (`unsupported_media_type`). */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This server does not answer to that host name (`misdirected_host`). */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is invalid (`invalid_body`). A parameter is invalid (`invalid_parameter`). The request is refused (`refused`). The key was used for another request (`idempotency_key_reused`). */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests (`too_many_requests`). */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Yudai failed: this is our fault (`internal`). */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database or artifact store is temporarily unavailable (`store_unavailable`). The engine is temporarily unavailable (`engine_unavailable`). The forge is temporarily unavailable (`forge_unavailable`). Sandboxes are temporarily unavailable (`sandbox_unavailable`). */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    answerQuestion: {
        parameters: {
            query?: never;
            header?: {
                /** @description Requests with the same key and body are executed once. */
                "Idempotency-Key"?: string | null;
            };
            path: {
                /** @description Its id or its key. */
                question_id: string;
                solve_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AnswerAsk"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SolveSummary"];
                };
            };
            /** @description The body is not JSON (`malformed_body`). */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This needs a login or a key (`unauthenticated`). */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`forbidden`). Another site's page may not do this (`cross_origin`). */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`not_found`). The run has not reached this yet, or ended before (`not_yet`). */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Its state does not allow this. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large (`too_large`). */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body has to be plain application/json (`unsupported_media_type`). */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This server does not answer to that host name (`misdirected_host`). */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is invalid (`invalid_body`). A parameter is invalid (`invalid_parameter`). The request is refused (`refused`). The key was used for another request (`idempotency_key_reused`). */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests (`too_many_requests`). */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Yudai failed: this is our fault (`internal`). */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database or artifact store is temporarily unavailable (`store_unavailable`). The engine is temporarily unavailable (`engine_unavailable`). The forge is temporarily unavailable (`forge_unavailable`). Sandboxes are temporarily unavailable (`sandbox_unavailable`). */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getUpdates: {
        parameters: {
            query?: {
                /** @description From the previous response; an invalid one starts over. */
                cursor?: string;
                /** @description Ids of runs whose messages are wanted, at most 16: repeat the again for each, or one with commas. */
                open?: string[];
                /** @description The rest follows in the next response. */
                max_bytes?: number;
            };
            header?: never;
            path: {
                solve_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What is new since the cursor. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UpdatesView"];
                };
            };
            /** @description This needs a login or a key (`unauthenticated`). */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`forbidden`). Another site's page may not do this (`cross_origin`). */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`not_found`). The run has not reached this yet, or ended before (`not_yet`). */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large (`too_large`). */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This server does not answer to that host name (`misdirected_host`). */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is invalid (`invalid_body`). A parameter is invalid (`invalid_parameter`). The request is refused (`refused`). The key was used for another request (`idempotency_key_reused`). */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests (`too_many_requests`). */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Yudai failed: this is our fault (`internal`). */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database or artifact store is temporarily unavailable (`store_unavailable`). The engine is temporarily unavailable (`engine_unavailable`). The forge is temporarily unavailable (`forge_unavailable`). Sandboxes are temporarily unavailable (`sandbox_unavailable`). */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getRun: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunDetail"];
                };
            };
            /** @description This needs a login or a key (`unauthenticated`). */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`forbidden`). Another site's page may not do this (`cross_origin`). */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`not_found`). The run has not reached this yet, or ended before (`not_yet`). */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large (`too_large`). */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This server does not answer to that host name (`misdirected_host`). */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is invalid (`invalid_body`). A parameter is invalid (`invalid_parameter`). The request is refused (`refused`). The key was used for another request (`idempotency_key_reused`). */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests (`too_many_requests`). */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Yudai failed: this is our fault (`internal`). */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database or artifact store is temporarily unavailable (`store_unavailable`). The engine is temporarily unavailable (`engine_unavailable`). The forge is temporarily unavailable (`forge_unavailable`). Sandboxes are temporarily unavailable (`sandbox_unavailable`). */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    cancelRun: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunDetail"];
                };
            };
            /** @description This needs a login or a key (`unauthenticated`). */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`forbidden`). Another site's page may not do this (`cross_origin`). */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`not_found`). The run has not reached this yet, or ended before (`not_yet`). */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Its state does not allow this. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large (`too_large`). */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body has to be plain application/json (`unsupported_media_type`). */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This server does not answer to that host name (`misdirected_host`). */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is invalid (`invalid_body`). A parameter is invalid (`invalid_parameter`). The request is refused (`refused`). The key was used for another request (`idempotency_key_reused`). */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests (`too_many_requests`). */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Yudai failed: this is our fault (`internal`). */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database or artifact store is temporarily unavailable (`store_unavailable`). The engine is temporarily unavailable (`engine_unavailable`). The forge is temporarily unavailable (`forge_unavailable`). Sandboxes are temporarily unavailable (`sandbox_unavailable`). */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getRunAttempts: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AttemptList"];
                };
            };
            /** @description This needs a login or a key (`unauthenticated`). */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`forbidden`). Another site's page may not do this (`cross_origin`). */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`not_found`). The run has not reached this yet, or ended before (`not_yet`). */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large (`too_large`). */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This server does not answer to that host name (`misdirected_host`). */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is invalid (`invalid_body`). A parameter is invalid (`invalid_parameter`). The request is refused (`refused`). The key was used for another request (`idempotency_key_reused`). */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests (`too_many_requests`). */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Yudai failed: this is our fault (`internal`). */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database or artifact store is temporarily unavailable (`store_unavailable`). The engine is temporarily unavailable (`engine_unavailable`). The forge is temporarily unavailable (`forge_unavailable`). Sandboxes are temporarily unavailable (`sandbox_unavailable`). */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getRunPlan: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlanView"];
                };
            };
            /** @description This needs a login or a key (`unauthenticated`). */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`forbidden`). Another site's page may not do this (`cross_origin`). */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`not_found`). The run has not reached this yet, or ended before (`not_yet`). */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large (`too_large`). */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This server does not answer to that host name (`misdirected_host`). */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is invalid (`invalid_body`). A parameter is invalid (`invalid_parameter`). The request is refused (`refused`). The key was used for another request (`idempotency_key_reused`). */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests (`too_many_requests`). */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Yudai failed: this is our fault (`internal`). */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database or artifact store is temporarily unavailable (`store_unavailable`). The engine is temporarily unavailable (`engine_unavailable`). The forge is temporarily unavailable (`forge_unavailable`). Sandboxes are temporarily unavailable (`sandbox_unavailable`). */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getRunTests: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TestsView"];
                };
            };
            /** @description This needs a login or a key (`unauthenticated`). */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`forbidden`). Another site's page may not do this (`cross_origin`). */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`not_found`). The run has not reached this yet, or ended before (`not_yet`). */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large (`too_large`). */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This server does not answer to that host name (`misdirected_host`). */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is invalid (`invalid_body`). A parameter is invalid (`invalid_parameter`). The request is refused (`refused`). The key was used for another request (`idempotency_key_reused`). */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests (`too_many_requests`). */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Yudai failed: this is our fault (`internal`). */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database or artifact store is temporarily unavailable (`store_unavailable`). The engine is temporarily unavailable (`engine_unavailable`). The forge is temporarily unavailable (`forge_unavailable`). Sandboxes are temporarily unavailable (`sandbox_unavailable`). */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getRunMessages: {
        parameters: {
            query?: {
                before?: number | null;
                limit?: number;
                /** @description An earlier attempt; default: the current one. */
                attempt?: number | null;
            };
            header?: never;
            path: {
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TrajectoryPage"];
                };
            };
            /** @description This needs a login or a key (`unauthenticated`). */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`forbidden`). Another site's page may not do this (`cross_origin`). */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`not_found`). The run has not reached this yet, or ended before (`not_yet`). */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large (`too_large`). */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This server does not answer to that host name (`misdirected_host`). */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is invalid (`invalid_body`). A parameter is invalid (`invalid_parameter`). The request is refused (`refused`). The key was used for another request (`idempotency_key_reused`). */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests (`too_many_requests`). */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Yudai failed: this is our fault (`internal`). */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database or artifact store is temporarily unavailable (`store_unavailable`). The engine is temporarily unavailable (`engine_unavailable`). The forge is temporarily unavailable (`forge_unavailable`). Sandboxes are temporarily unavailable (`sandbox_unavailable`). */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getRunSteps: {
        parameters: {
            query?: {
                after?: number | null;
                before?: number | null;
                limit?: number;
                /** @description An earlier attempt; default: the current one. */
                attempt?: number | null;
            };
            header?: never;
            path: {
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StepPage"];
                };
            };
            /** @description This needs a login or a key (`unauthenticated`). */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`forbidden`). Another site's page may not do this (`cross_origin`). */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`not_found`). The run has not reached this yet, or ended before (`not_yet`). */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large (`too_large`). */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This server does not answer to that host name (`misdirected_host`). */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is invalid (`invalid_body`). A parameter is invalid (`invalid_parameter`). The request is refused (`refused`). The key was used for another request (`idempotency_key_reused`). */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests (`too_many_requests`). */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Yudai failed: this is our fault (`internal`). */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database or artifact store is temporarily unavailable (`store_unavailable`). The engine is temporarily unavailable (`engine_unavailable`). The forge is temporarily unavailable (`forge_unavailable`). Sandboxes are temporarily unavailable (`sandbox_unavailable`). */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getRunDiffAt: {
        parameters: {
            query?: {
                /** @description An earlier attempt; default: the current one. */
                attempt?: number | null;
            };
            header?: never;
            path: {
                seq: number;
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DiffAt"];
                };
            };
            /** @description This needs a login or a key (`unauthenticated`). */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`forbidden`). Another site's page may not do this (`cross_origin`). */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`not_found`). The run has not reached this yet, or ended before (`not_yet`). */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large (`too_large`). */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This server does not answer to that host name (`misdirected_host`). */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is invalid (`invalid_body`). A parameter is invalid (`invalid_parameter`). The request is refused (`refused`). The key was used for another request (`idempotency_key_reused`). */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests (`too_many_requests`). */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Yudai failed: this is our fault (`internal`). */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database or artifact store is temporarily unavailable (`store_unavailable`). The engine is temporarily unavailable (`engine_unavailable`). The forge is temporarily unavailable (`forge_unavailable`). Sandboxes are temporarily unavailable (`sandbox_unavailable`). */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getRunMessageRaw: {
        parameters: {
            query?: {
                /** @description An earlier attempt; default: the current one. */
                attempt?: number | null;
            };
            header?: never;
            path: {
                seq: number;
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The message as mini-SWE-agent wrote it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
            /** @description Not changed. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description This needs a login or a key (`unauthenticated`). */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`forbidden`). Another site's page may not do this (`cross_origin`). */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`not_found`). The run has not reached this yet, or ended before (`not_yet`). */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large (`too_large`). */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This server does not answer to that host name (`misdirected_host`). */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is invalid (`invalid_body`). A parameter is invalid (`invalid_parameter`). The request is refused (`refused`). The key was used for another request (`idempotency_key_reused`). */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests (`too_many_requests`). */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Yudai failed: this is our fault (`internal`). */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database or artifact store is temporarily unavailable (`store_unavailable`). The engine is temporarily unavailable (`engine_unavailable`). The forge is temporarily unavailable (`forge_unavailable`). Sandboxes are temporarily unavailable (`sandbox_unavailable`). */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getRunStepRaw: {
        parameters: {
            query?: {
                /** @description An earlier attempt; default: the current one. */
                attempt?: number | null;
            };
            header?: never;
            path: {
                number: number;
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All messages of the step as mini-SWE-agent wrote them. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
            /** @description Not changed. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description This needs a login or a key (`unauthenticated`). */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`forbidden`). Another site's page may not do this (`cross_origin`). */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`not_found`). The run has not reached this yet, or ended before (`not_yet`). */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large (`too_large`). */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This server does not answer to that host name (`misdirected_host`). */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is invalid (`invalid_body`). A parameter is invalid (`invalid_parameter`). The request is refused (`refused`). The key was used for another request (`idempotency_key_reused`). */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests (`too_many_requests`). */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Yudai failed: this is our fault (`internal`). */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database or artifact store is temporarily unavailable (`store_unavailable`). The engine is temporarily unavailable (`engine_unavailable`). The forge is temporarily unavailable (`forge_unavailable`). Sandboxes are temporarily unavailable (`sandbox_unavailable`). */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getRunTrajectory: {
        parameters: {
            query?: {
                /** @description The content's hash, as in links: such a response can be cached forever. */
                v?: string | null;
            };
            header?: never;
            path: {
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description In mini-SWE-agent's format. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
            /** @description Not changed. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description This needs a login or a key (`unauthenticated`). */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`forbidden`). Another site's page may not do this (`cross_origin`). */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`not_found`). The run has not reached this yet, or ended before (`not_yet`). */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large (`too_large`). */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This server does not answer to that host name (`misdirected_host`). */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is invalid (`invalid_body`). A parameter is invalid (`invalid_parameter`). The request is refused (`refused`). The key was used for another request (`idempotency_key_reused`). */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests (`too_many_requests`). */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Yudai failed: this is our fault (`internal`). */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database or artifact store is temporarily unavailable (`store_unavailable`). The engine is temporarily unavailable (`engine_unavailable`). The forge is temporarily unavailable (`forge_unavailable`). Sandboxes are temporarily unavailable (`sandbox_unavailable`). */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getRunPatch: {
        parameters: {
            query?: {
                /** @description The content's hash, as in links: such a response can be cached forever. */
                v?: string | null;
            };
            header?: never;
            path: {
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description In the format of `git apply`. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/x-diff": string;
                };
            };
            /** @description Not changed. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description This needs a login or a key (`unauthenticated`). */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`forbidden`). Another site's page may not do this (`cross_origin`). */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`not_found`). The run has not reached this yet, or ended before (`not_yet`). */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large (`too_large`). */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This server does not answer to that host name (`misdirected_host`). */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is invalid (`invalid_body`). A parameter is invalid (`invalid_parameter`). The request is refused (`refused`). The key was used for another request (`idempotency_key_reused`). */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests (`too_many_requests`). */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Yudai failed: this is our fault (`internal`). */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database or artifact store is temporarily unavailable (`store_unavailable`). The engine is temporarily unavailable (`engine_unavailable`). The forge is temporarily unavailable (`forge_unavailable`). Sandboxes are temporarily unavailable (`sandbox_unavailable`). */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getRunLog: {
        parameters: {
            query?: {
                /** @description The content's hash, as in links: such a response can be cached forever. */
                v?: string | null;
            };
            header?: never;
            path: {
                kind: components["schemas"]["LogKind"];
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description As it was printed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            /** @description Not changed. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description This needs a login or a key (`unauthenticated`). */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`forbidden`). Another site's page may not do this (`cross_origin`). */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`not_found`). The run has not reached this yet, or ended before (`not_yet`). */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large (`too_large`). */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This server does not answer to that host name (`misdirected_host`). */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is invalid (`invalid_body`). A parameter is invalid (`invalid_parameter`). The request is refused (`refused`). The key was used for another request (`idempotency_key_reused`). */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests (`too_many_requests`). */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Yudai failed: this is our fault (`internal`). */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database or artifact store is temporarily unavailable (`store_unavailable`). The engine is temporarily unavailable (`engine_unavailable`). The forge is temporarily unavailable (`forge_unavailable`). Sandboxes are temporarily unavailable (`sandbox_unavailable`). */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listConversations: {
        parameters: {
            query?: {
                /** @description From an earlier page. An invalid one is ignored, and `reset` is true. */
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConversationPage"];
                };
            };
            /** @description This needs a login or a key (`unauthenticated`). */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`forbidden`). Another site's page may not do this (`cross_origin`). */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large (`too_large`). */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This server does not answer to that host name (`misdirected_host`). */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is invalid (`invalid_body`). A parameter is invalid (`invalid_parameter`). The request is refused (`refused`). The key was used for another request (`idempotency_key_reused`). */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests (`too_many_requests`). */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Yudai failed: this is our fault (`internal`). */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database or artifact store is temporarily unavailable (`store_unavailable`). The engine is temporarily unavailable (`engine_unavailable`). The forge is temporarily unavailable (`forge_unavailable`). Sandboxes are temporarily unavailable (`sandbox_unavailable`). */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createConversation: {
        parameters: {
            query?: never;
            header?: {
                /** @description Requests with the same key and body are executed once. */
                "Idempotency-Key"?: string | null;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ConversationAsk"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    /** @description Path to read it from. */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Conversation"];
                };
            };
            /** @description The body is not JSON (`malformed_body`). */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This needs a login or a key (`unauthenticated`). */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`forbidden`). Another site's page may not do this (`cross_origin`). */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such solve. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Its state does not allow this. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large (`too_large`). */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body has to be plain application/json (`unsupported_media_type`). */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This server does not answer to that host name (`misdirected_host`). */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is invalid (`invalid_body`). A parameter is invalid (`invalid_parameter`). The request is refused (`refused`). The key was used for another request (`idempotency_key_reused`). */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests (`too_many_requests`). */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Yudai failed: this is our fault (`internal`). */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database or artifact store is temporarily unavailable (`store_unavailable`). The engine is temporarily unavailable (`engine_unavailable`). The forge is temporarily unavailable (`forge_unavailable`). Sandboxes are temporarily unavailable (`sandbox_unavailable`). */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getConversation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                conversation_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConversationDetail"];
                };
            };
            /** @description This needs a login or a key (`unauthenticated`). */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`forbidden`). Another site's page may not do this (`cross_origin`). */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`not_found`). The run has not reached this yet, or ended before (`not_yet`). */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large (`too_large`). */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This server does not answer to that host name (`misdirected_host`). */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is invalid (`invalid_body`). A parameter is invalid (`invalid_parameter`). The request is refused (`refused`). The key was used for another request (`idempotency_key_reused`). */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests (`too_many_requests`). */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Yudai failed: this is our fault (`internal`). */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database or artifact store is temporarily unavailable (`store_unavailable`). The engine is temporarily unavailable (`engine_unavailable`). The forge is temporarily unavailable (`forge_unavailable`). Sandboxes are temporarily unavailable (`sandbox_unavailable`). */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listMessages: {
        parameters: {
            query?: {
                /** @description From an earlier page. An invalid one is ignored, and `reset` is true. */
                after?: string;
                /** @description From an earlier page. An invalid one is ignored, and `reset` is true. */
                before?: string;
                limit?: number;
            };
            header?: never;
            path: {
                conversation_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessagePage"];
                };
            };
            /** @description This needs a login or a key (`unauthenticated`). */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`forbidden`). Another site's page may not do this (`cross_origin`). */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`not_found`). The run has not reached this yet, or ended before (`not_yet`). */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large (`too_large`). */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This server does not answer to that host name (`misdirected_host`). */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is invalid (`invalid_body`). A parameter is invalid (`invalid_parameter`). The request is refused (`refused`). The key was used for another request (`idempotency_key_reused`). */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests (`too_many_requests`). */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Yudai failed: this is our fault (`internal`). */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database or artifact store is temporarily unavailable (`store_unavailable`). The engine is temporarily unavailable (`engine_unavailable`). The forge is temporarily unavailable (`forge_unavailable`). Sandboxes are temporarily unavailable (`sandbox_unavailable`). */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    postMessage: {
        parameters: {
            query?: never;
            header?: {
                /** @description Requests with the same key and body are executed once. */
                "Idempotency-Key"?: string | null;
            };
            path: {
                conversation_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MessageAsk"];
            };
        };
        responses: {
            /** @description The message is stored; replies appear as messages. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Posted"];
                };
            };
            /** @description The body is not JSON (`malformed_body`). */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This needs a login or a key (`unauthenticated`). */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`forbidden`). Another site's page may not do this (`cross_origin`). */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`not_found`). The run has not reached this yet, or ended before (`not_yet`). */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large (`too_large`). */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body has to be plain application/json (`unsupported_media_type`). */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This server does not answer to that host name (`misdirected_host`). */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is invalid (`invalid_body`). A parameter is invalid (`invalid_parameter`). The request is refused (`refused`). The key was used for another request (`idempotency_key_reused`). */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests (`too_many_requests`). */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Yudai failed: this is our fault (`internal`). */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database or artifact store is temporarily unavailable (`store_unavailable`). The engine is temporarily unavailable (`engine_unavailable`). The forge is temporarily unavailable (`forge_unavailable`). Sandboxes are temporarily unavailable (`sandbox_unavailable`). */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    solveIssue: {
        parameters: {
            query?: never;
            header?: {
                /** @description Requests with the same key and body are executed once. */
                "Idempotency-Key"?: string | null;
            };
            path: {
                number: number;
                conversation_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["IssueAsk"] | null;
            };
        };
        responses: {
            /** @description The solve is stored and will run. */
            202: {
                headers: {
                    /** @description Path to read it from. */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SolveSummary"];
                };
            };
            /** @description The body is not JSON (`malformed_body`). */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This needs a login or a key (`unauthenticated`). */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`forbidden`). Another site's page may not do this (`cross_origin`). */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`not_found`). The run has not reached this yet, or ended before (`not_yet`). */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large (`too_large`). */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body has to be plain application/json (`unsupported_media_type`). */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This server does not answer to that host name (`misdirected_host`). */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is invalid (`invalid_body`). A parameter is invalid (`invalid_parameter`). The request is refused (`refused`). The key was used for another request (`idempotency_key_reused`). */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests (`too_many_requests`). */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Yudai failed: this is our fault (`internal`). */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database or artifact store is temporarily unavailable (`store_unavailable`). The engine is temporarily unavailable (`engine_unavailable`). The forge is temporarily unavailable (`forge_unavailable`). Sandboxes are temporarily unavailable (`sandbox_unavailable`). */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listModels: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ModelList"];
                };
            };
            /** @description This needs a login or a key (`unauthenticated`). */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`forbidden`). Another site's page may not do this (`cross_origin`). */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large (`too_large`). */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This server does not answer to that host name (`misdirected_host`). */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests (`too_many_requests`). */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Yudai failed: this is our fault (`internal`). */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database or artifact store is temporarily unavailable (`store_unavailable`). The engine is temporarily unavailable (`engine_unavailable`). The forge is temporarily unavailable (`forge_unavailable`). Sandboxes are temporarily unavailable (`sandbox_unavailable`). */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    putModel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ModelPut"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ModelView"];
                };
            };
            /** @description The body is not JSON (`malformed_body`). */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This needs a login or a key (`unauthenticated`). */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`forbidden`). Another site's page may not do this (`cross_origin`). */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`not_found`). The run has not reached this yet, or ended before (`not_yet`). */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large (`too_large`). */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body has to be plain application/json (`unsupported_media_type`). */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This server does not answer to that host name (`misdirected_host`). */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is invalid (`invalid_body`). A parameter is invalid (`invalid_parameter`). The request is refused (`refused`). The key was used for another request (`idempotency_key_reused`). */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests (`too_many_requests`). */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Yudai failed: this is our fault (`internal`). */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database or artifact store is temporarily unavailable (`store_unavailable`). The engine is temporarily unavailable (`engine_unavailable`). The forge is temporarily unavailable (`forge_unavailable`). Sandboxes are temporarily unavailable (`sandbox_unavailable`). */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    removeModel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ModelRemoved"];
                };
            };
            /** @description This needs a login or a key (`unauthenticated`). */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`forbidden`). Another site's page may not do this (`cross_origin`). */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`not_found`). The run has not reached this yet, or ended before (`not_yet`). */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Its state does not allow this. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large (`too_large`). */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body has to be plain application/json (`unsupported_media_type`). */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This server does not answer to that host name (`misdirected_host`). */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is invalid (`invalid_body`). A parameter is invalid (`invalid_parameter`). The request is refused (`refused`). The key was used for another request (`idempotency_key_reused`). */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests (`too_many_requests`). */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Yudai failed: this is our fault (`internal`). */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database or artifact store is temporarily unavailable (`store_unavailable`). The engine is temporarily unavailable (`engine_unavailable`). The forge is temporarily unavailable (`forge_unavailable`). Sandboxes are temporarily unavailable (`sandbox_unavailable`). */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    forecastSolve: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SolveAsk"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Forecast"];
                };
            };
            /** @description The body is not JSON (`malformed_body`). */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This needs a login or a key (`unauthenticated`). */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`forbidden`). Another site's page may not do this (`cross_origin`). */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large (`too_large`). */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body has to be plain application/json (`unsupported_media_type`). */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This server does not answer to that host name (`misdirected_host`). */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is invalid (`invalid_body`). A parameter is invalid (`invalid_parameter`). The request is refused (`refused`). The key was used for another request (`idempotency_key_reused`). */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests (`too_many_requests`). */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Yudai failed: this is our fault (`internal`). */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database or artifact store is temporarily unavailable (`store_unavailable`). The engine is temporarily unavailable (`engine_unavailable`). The forge is temporarily unavailable (`forge_unavailable`). Sandboxes are temporarily unavailable (`sandbox_unavailable`). */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listRepos: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RepoList"];
                };
            };
            /** @description This needs a login or a key (`unauthenticated`). */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`forbidden`). Another site's page may not do this (`cross_origin`). */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large (`too_large`). */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This server does not answer to that host name (`misdirected_host`). */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests (`too_many_requests`). */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Yudai failed: this is our fault (`internal`). */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database or artifact store is temporarily unavailable (`store_unavailable`). The engine is temporarily unavailable (`engine_unavailable`). The forge is temporarily unavailable (`forge_unavailable`). Sandboxes are temporarily unavailable (`sandbox_unavailable`). */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    startDemo: {
        parameters: {
            query?: never;
            header?: {
                /** @description Requests with the same key and body are executed once. */
                "Idempotency-Key"?: string | null;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The solve is stored and will run. */
            202: {
                headers: {
                    /** @description Path to read it from. */
                    Location?: string;
                    /** @description `true` if an earlier request with this key created it. */
                    "Idempotency-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SolveSummary"];
                };
            };
            /** @description This needs a login or a key (`unauthenticated`). */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`forbidden`). Another site's page may not do this (`cross_origin`). */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large (`too_large`). */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body has to be plain application/json (`unsupported_media_type`). */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This server does not answer to that host name (`misdirected_host`). */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is invalid (`invalid_body`). A parameter is invalid (`invalid_parameter`). The request is refused (`refused`). The key was used for another request (`idempotency_key_reused`). */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests (`too_many_requests`). */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Yudai failed: this is our fault (`internal`). */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database or artifact store is temporarily unavailable (`store_unavailable`). The engine is temporarily unavailable (`engine_unavailable`). The forge is temporarily unavailable (`forge_unavailable`). Sandboxes are temporarily unavailable (`sandbox_unavailable`). */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getSettings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SettingsView"];
                };
            };
            /** @description This needs a login or a key (`unauthenticated`). */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`forbidden`). Another site's page may not do this (`cross_origin`). */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large (`too_large`). */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This server does not answer to that host name (`misdirected_host`). */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests (`too_many_requests`). */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Yudai failed: this is our fault (`internal`). */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database or artifact store is temporarily unavailable (`store_unavailable`). The engine is temporarily unavailable (`engine_unavailable`). The forge is temporarily unavailable (`forge_unavailable`). Sandboxes are temporarily unavailable (`sandbox_unavailable`). */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getDoctor: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Examination"];
                };
            };
            /** @description This needs a login or a key (`unauthenticated`). */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`forbidden`). Another site's page may not do this (`cross_origin`). */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large (`too_large`). */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This server does not answer to that host name (`misdirected_host`). */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests (`too_many_requests`). */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Yudai failed: this is our fault (`internal`). */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database or artifact store is temporarily unavailable (`store_unavailable`). The engine is temporarily unavailable (`engine_unavailable`). The forge is temporarily unavailable (`forge_unavailable`). Sandboxes are temporarily unavailable (`sandbox_unavailable`). */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getCost: {
        parameters: {
            query?: {
                /** @description How far back. */
                days?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CostView"];
                };
            };
            /** @description This needs a login or a key (`unauthenticated`). */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`forbidden`). Another site's page may not do this (`cross_origin`). */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large (`too_large`). */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This server does not answer to that host name (`misdirected_host`). */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is invalid (`invalid_body`). A parameter is invalid (`invalid_parameter`). The request is refused (`refused`). The key was used for another request (`idempotency_key_reused`). */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests (`too_many_requests`). */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Yudai failed: this is our fault (`internal`). */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database or artifact store is temporarily unavailable (`store_unavailable`). The engine is temporarily unavailable (`engine_unavailable`). The forge is temporarily unavailable (`forge_unavailable`). Sandboxes are temporarily unavailable (`sandbox_unavailable`). */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getMe: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Me"];
                };
            };
            /** @description This needs a login or a key (`unauthenticated`). */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`forbidden`). Another site's page may not do this (`cross_origin`). */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large (`too_large`). */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This server does not answer to that host name (`misdirected_host`). */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests (`too_many_requests`). */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Yudai failed: this is our fault (`internal`). */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database or artifact store is temporarily unavailable (`store_unavailable`). The engine is temporarily unavailable (`engine_unavailable`). The forge is temporarily unavailable (`forge_unavailable`). Sandboxes are temporarily unavailable (`sandbox_unavailable`). */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    logOut: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description This needs a login or a key (`unauthenticated`). */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`forbidden`). Another site's page may not do this (`cross_origin`). */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large (`too_large`). */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body has to be plain application/json (`unsupported_media_type`). */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This server does not answer to that host name (`misdirected_host`). */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests (`too_many_requests`). */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Yudai failed: this is our fault (`internal`). */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database or artifact store is temporarily unavailable (`store_unavailable`). The engine is temporarily unavailable (`engine_unavailable`). The forge is temporarily unavailable (`forge_unavailable`). Sandboxes are temporarily unavailable (`sandbox_unavailable`). */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    beginDevice: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeviceBegun"];
                };
            };
            /** @description This needs a login or a key (`unauthenticated`). */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`forbidden`). Another site's page may not do this (`cross_origin`). */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This server has no login. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large (`too_large`). */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body has to be plain application/json (`unsupported_media_type`). */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This server does not answer to that host name (`misdirected_host`). */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests (`too_many_requests`). */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Yudai failed: this is our fault (`internal`). */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database or artifact store is temporarily unavailable (`store_unavailable`). The engine is temporarily unavailable (`engine_unavailable`). The forge is temporarily unavailable (`forge_unavailable`). Sandboxes are temporarily unavailable (`sandbox_unavailable`). */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    pollDevice: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DeviceAsk"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeviceView"];
                };
            };
            /** @description The body is not JSON (`malformed_body`). */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This needs a login or a key (`unauthenticated`). */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`forbidden`). Another site's page may not do this (`cross_origin`). */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This server has no login. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large (`too_large`). */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body has to be plain application/json (`unsupported_media_type`). */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This server does not answer to that host name (`misdirected_host`). */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is invalid (`invalid_body`). A parameter is invalid (`invalid_parameter`). The request is refused (`refused`). The key was used for another request (`idempotency_key_reused`). */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests (`too_many_requests`). */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Yudai failed: this is our fault (`internal`). */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database or artifact store is temporarily unavailable (`store_unavailable`). The engine is temporarily unavailable (`engine_unavailable`). The forge is temporarily unavailable (`forge_unavailable`). Sandboxes are temporarily unavailable (`sandbox_unavailable`). */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listKeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeyList"];
                };
            };
            /** @description This needs a login or a key (`unauthenticated`). */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`forbidden`). Another site's page may not do this (`cross_origin`). */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This server has no login. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large (`too_large`). */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This server does not answer to that host name (`misdirected_host`). */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests (`too_many_requests`). */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Yudai failed: this is our fault (`internal`). */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database or artifact store is temporarily unavailable (`store_unavailable`). The engine is temporarily unavailable (`engine_unavailable`). The forge is temporarily unavailable (`forge_unavailable`). Sandboxes are temporarily unavailable (`sandbox_unavailable`). */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createKey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["KeyAsk"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewKey"];
                };
            };
            /** @description The body is not JSON (`malformed_body`). */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This needs a login or a key (`unauthenticated`). */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`forbidden`). Another site's page may not do this (`cross_origin`). */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This server has no login. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large (`too_large`). */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body has to be plain application/json (`unsupported_media_type`). */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This server does not answer to that host name (`misdirected_host`). */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is invalid (`invalid_body`). A parameter is invalid (`invalid_parameter`). The request is refused (`refused`). The key was used for another request (`idempotency_key_reused`). */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests (`too_many_requests`). */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Yudai failed: this is our fault (`internal`). */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database or artifact store is temporarily unavailable (`store_unavailable`). The engine is temporarily unavailable (`engine_unavailable`). The forge is temporarily unavailable (`forge_unavailable`). Sandboxes are temporarily unavailable (`sandbox_unavailable`). */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    revokeKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                key_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description This needs a login or a key (`unauthenticated`). */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`forbidden`). Another site's page may not do this (`cross_origin`). */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This server has no login. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large (`too_large`). */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body has to be plain application/json (`unsupported_media_type`). */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This server does not answer to that host name (`misdirected_host`). */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is invalid (`invalid_body`). A parameter is invalid (`invalid_parameter`). The request is refused (`refused`). The key was used for another request (`idempotency_key_reused`). */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests (`too_many_requests`). */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Yudai failed: this is our fault (`internal`). */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database or artifact store is temporarily unavailable (`store_unavailable`). The engine is temporarily unavailable (`engine_unavailable`). The forge is temporarily unavailable (`forge_unavailable`). Sandboxes are temporarily unavailable (`sandbox_unavailable`). */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listLogins: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LoginList"];
                };
            };
            /** @description This needs a login or a key (`unauthenticated`). */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`forbidden`). Another site's page may not do this (`cross_origin`). */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This server has no login. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large (`too_large`). */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This server does not answer to that host name (`misdirected_host`). */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests (`too_many_requests`). */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Yudai failed: this is our fault (`internal`). */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database or artifact store is temporarily unavailable (`store_unavailable`). The engine is temporarily unavailable (`engine_unavailable`). The forge is temporarily unavailable (`forge_unavailable`). Sandboxes are temporarily unavailable (`sandbox_unavailable`). */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    endLogins: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description This needs a login or a key (`unauthenticated`). */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`forbidden`). Another site's page may not do this (`cross_origin`). */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This server has no login. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large (`too_large`). */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body has to be plain application/json (`unsupported_media_type`). */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This server does not answer to that host name (`misdirected_host`). */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests (`too_many_requests`). */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Yudai failed: this is our fault (`internal`). */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database or artifact store is temporarily unavailable (`store_unavailable`). The engine is temporarily unavailable (`engine_unavailable`). The forge is temporarily unavailable (`forge_unavailable`). Sandboxes are temporarily unavailable (`sandbox_unavailable`). */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    endLogin: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                login_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description This needs a login or a key (`unauthenticated`). */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`forbidden`). Another site's page may not do this (`cross_origin`). */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This server has no login. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large (`too_large`). */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body has to be plain application/json (`unsupported_media_type`). */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This server does not answer to that host name (`misdirected_host`). */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is invalid (`invalid_body`). A parameter is invalid (`invalid_parameter`). The request is refused (`refused`). The key was used for another request (`idempotency_key_reused`). */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests (`too_many_requests`). */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Yudai failed: this is our fault (`internal`). */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database or artifact store is temporarily unavailable (`store_unavailable`). The engine is temporarily unavailable (`engine_unavailable`). The forge is temporarily unavailable (`forge_unavailable`). Sandboxes are temporarily unavailable (`sandbox_unavailable`). */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    disconnectForge: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description This needs a login or a key (`unauthenticated`). */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`forbidden`). Another site's page may not do this (`cross_origin`). */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This server has no login. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large (`too_large`). */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body has to be plain application/json (`unsupported_media_type`). */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This server does not answer to that host name (`misdirected_host`). */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests (`too_many_requests`). */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Yudai failed: this is our fault (`internal`). */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database or artifact store is temporarily unavailable (`store_unavailable`). The engine is temporarily unavailable (`engine_unavailable`). The forge is temporarily unavailable (`forge_unavailable`). Sandboxes are temporarily unavailable (`sandbox_unavailable`). */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    publishSolve: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                solve_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request is stored; a worker publishes. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PublicationView"];
                };
            };
            /** @description This needs a login or a key (`unauthenticated`). */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`forbidden`). Another site's page may not do this (`cross_origin`). */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`not_found`). The run has not reached this yet, or ended before (`not_yet`). */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Its state does not allow this. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large (`too_large`). */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body has to be plain application/json (`unsupported_media_type`). */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This server does not answer to that host name (`misdirected_host`). */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is invalid (`invalid_body`). A parameter is invalid (`invalid_parameter`). The request is refused (`refused`). The key was used for another request (`idempotency_key_reused`). */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests (`too_many_requests`). */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Yudai failed: this is our fault (`internal`). */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database or artifact store is temporarily unavailable (`store_unavailable`). The engine is temporarily unavailable (`engine_unavailable`). The forge is temporarily unavailable (`forge_unavailable`). Sandboxes are temporarily unavailable (`sandbox_unavailable`). */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getPublication: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                solve_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PublicationView"];
                };
            };
            /** @description This needs a login or a key (`unauthenticated`). */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`forbidden`). Another site's page may not do this (`cross_origin`). */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`not_found`). The run has not reached this yet, or ended before (`not_yet`). */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large (`too_large`). */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This server does not answer to that host name (`misdirected_host`). */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is invalid (`invalid_body`). A parameter is invalid (`invalid_parameter`). The request is refused (`refused`). The key was used for another request (`idempotency_key_reused`). */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests (`too_many_requests`). */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Yudai failed: this is our fault (`internal`). */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database or artifact store is temporarily unavailable (`store_unavailable`). The engine is temporarily unavailable (`engine_unavailable`). The forge is temporarily unavailable (`forge_unavailable`). Sandboxes are temporarily unavailable (`sandbox_unavailable`). */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getOutcomes: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                solve_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OutcomeList"];
                };
            };
            /** @description This needs a login or a key (`unauthenticated`). */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`forbidden`). Another site's page may not do this (`cross_origin`). */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`not_found`). The run has not reached this yet, or ended before (`not_yet`). */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large (`too_large`). */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This server does not answer to that host name (`misdirected_host`). */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is invalid (`invalid_body`). A parameter is invalid (`invalid_parameter`). The request is refused (`refused`). The key was used for another request (`idempotency_key_reused`). */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests (`too_many_requests`). */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Yudai failed: this is our fault (`internal`). */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database or artifact store is temporarily unavailable (`store_unavailable`). The engine is temporarily unavailable (`engine_unavailable`). The forge is temporarily unavailable (`forge_unavailable`). Sandboxes are temporarily unavailable (`sandbox_unavailable`). */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    confirmOutcome: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                outcome_id: number;
                solve_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ConfirmAsk"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OutcomeList"];
                };
            };
            /** @description The body is not JSON (`malformed_body`). */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This needs a login or a key (`unauthenticated`). */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`forbidden`). Another site's page may not do this (`cross_origin`). */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`not_found`). The run has not reached this yet, or ended before (`not_yet`). */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Its state does not allow this. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large (`too_large`). */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body has to be plain application/json (`unsupported_media_type`). */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This server does not answer to that host name (`misdirected_host`). */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is invalid (`invalid_body`). A parameter is invalid (`invalid_parameter`). The request is refused (`refused`). The key was used for another request (`idempotency_key_reused`). */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests (`too_many_requests`). */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Yudai failed: this is our fault (`internal`). */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database or artifact store is temporarily unavailable (`store_unavailable`). The engine is temporarily unavailable (`engine_unavailable`). The forge is temporarily unavailable (`forge_unavailable`). Sandboxes are temporarily unavailable (`sandbox_unavailable`). */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listForgeRepos: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ForgeRepoList"];
                };
            };
            /** @description This needs a login or a key (`unauthenticated`). */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`forbidden`). Another site's page may not do this (`cross_origin`). */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large (`too_large`). */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This server does not answer to that host name (`misdirected_host`). */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests (`too_many_requests`). */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Yudai failed: this is our fault (`internal`). */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database or artifact store is temporarily unavailable (`store_unavailable`). The engine is temporarily unavailable (`engine_unavailable`). The forge is temporarily unavailable (`forge_unavailable`). Sandboxes are temporarily unavailable (`sandbox_unavailable`). */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listForgeIssues: {
        parameters: {
            query?: {
                /** @description Words in the issue. */
                q?: string;
                /** @description Only with this label. */
                label?: string;
                page?: number;
            };
            header?: never;
            path: {
                owner: string;
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IssueList"];
                };
            };
            /** @description This needs a login or a key (`unauthenticated`). */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`forbidden`). Another site's page may not do this (`cross_origin`). */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`not_found`). The run has not reached this yet, or ended before (`not_yet`). */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large (`too_large`). */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This server does not answer to that host name (`misdirected_host`). */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is invalid (`invalid_body`). A parameter is invalid (`invalid_parameter`). The request is refused (`refused`). The key was used for another request (`idempotency_key_reused`). */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests (`too_many_requests`). */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Yudai failed: this is our fault (`internal`). */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database or artifact store is temporarily unavailable (`store_unavailable`). The engine is temporarily unavailable (`engine_unavailable`). The forge is temporarily unavailable (`forge_unavailable`). Sandboxes are temporarily unavailable (`sandbox_unavailable`). */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    previewForgeIssue: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                owner: string;
                name: string;
                number: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IssuePreview"];
                };
            };
            /** @description This needs a login or a key (`unauthenticated`). */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`forbidden`). Another site's page may not do this (`cross_origin`). */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`not_found`). The run has not reached this yet, or ended before (`not_yet`). */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large (`too_large`). */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This server does not answer to that host name (`misdirected_host`). */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is invalid (`invalid_body`). A parameter is invalid (`invalid_parameter`). The request is refused (`refused`). The key was used for another request (`idempotency_key_reused`). */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests (`too_many_requests`). */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Yudai failed: this is our fault (`internal`). */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database or artifact store is temporarily unavailable (`store_unavailable`). The engine is temporarily unavailable (`engine_unavailable`). The forge is temporarily unavailable (`forge_unavailable`). Sandboxes are temporarily unavailable (`sandbox_unavailable`). */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    takeWebhook: {
        parameters: {
            query?: never;
            header?: {
                "X-GitHub-Event"?: string;
                "X-GitHub-Delivery"?: string;
                "X-Hub-Signature-256"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The signature is valid; the webhook is stored as a hint. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The signature is invalid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`forbidden`). Another site's page may not do this (`cross_origin`). */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This server accepts no webhooks. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large (`too_large`). */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body has to be plain application/json (`unsupported_media_type`). */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This server does not answer to that host name (`misdirected_host`). */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is invalid (`invalid_body`). A parameter is invalid (`invalid_parameter`). The request is refused (`refused`). The key was used for another request (`idempotency_key_reused`). */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests (`too_many_requests`). */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Yudai failed: this is our fault (`internal`). */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database or artifact store is temporarily unavailable (`store_unavailable`). The engine is temporarily unavailable (`engine_unavailable`). The forge is temporarily unavailable (`forge_unavailable`). Sandboxes are temporarily unavailable (`sandbox_unavailable`). */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listSandboxes: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SandboxList"];
                };
            };
            /** @description This needs a login or a key (`unauthenticated`). */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`forbidden`). Another site's page may not do this (`cross_origin`). */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large (`too_large`). */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This server does not answer to that host name (`misdirected_host`). */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests (`too_many_requests`). */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Yudai failed: this is our fault (`internal`). */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database or artifact store is temporarily unavailable (`store_unavailable`). The engine is temporarily unavailable (`engine_unavailable`). The forge is temporarily unavailable (`forge_unavailable`). Sandboxes are temporarily unavailable (`sandbox_unavailable`). */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    reapSandboxes: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReapAsk"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Swept"];
                };
            };
            /** @description The body is not JSON (`malformed_body`). */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This needs a login or a key (`unauthenticated`). */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`forbidden`). Another site's page may not do this (`cross_origin`). */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large (`too_large`). */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body has to be plain application/json (`unsupported_media_type`). */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This server does not answer to that host name (`misdirected_host`). */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is invalid (`invalid_body`). A parameter is invalid (`invalid_parameter`). The request is refused (`refused`). The key was used for another request (`idempotency_key_reused`). */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests (`too_many_requests`). */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Yudai failed: this is our fault (`internal`). */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database or artifact store is temporarily unavailable (`store_unavailable`). The engine is temporarily unavailable (`engine_unavailable`). The forge is temporarily unavailable (`forge_unavailable`). Sandboxes are temporarily unavailable (`sandbox_unavailable`). */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listBases: {
        parameters: {
            query?: {
                /** @description Whose bases; default: the configured backend's. */
                backend?: ("bubblewrap" | "process" | "container" | "e2b" | "prime") | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BaseList"];
                };
            };
            /** @description This needs a login or a key (`unauthenticated`). */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`forbidden`). Another site's page may not do this (`cross_origin`). */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large (`too_large`). */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This server does not answer to that host name (`misdirected_host`). */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is invalid (`invalid_body`). A parameter is invalid (`invalid_parameter`). The request is refused (`refused`). The key was used for another request (`idempotency_key_reused`). */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests (`too_many_requests`). */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Yudai failed: this is our fault (`internal`). */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database or artifact store is temporarily unavailable (`store_unavailable`). The engine is temporarily unavailable (`engine_unavailable`). The forge is temporarily unavailable (`forge_unavailable`). Sandboxes are temporarily unavailable (`sandbox_unavailable`). */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    removeBase: {
        parameters: {
            query?: {
                /** @description Whose bases; default: the configured backend's. */
                backend?: ("bubblewrap" | "process" | "container" | "e2b" | "prime") | null;
            };
            header?: never;
            path: {
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BaseRemoved"];
                };
            };
            /** @description This needs a login or a key (`unauthenticated`). */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`forbidden`). Another site's page may not do this (`cross_origin`). */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`not_found`). The run has not reached this yet, or ended before (`not_yet`). */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Its state does not allow this. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large (`too_large`). */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body has to be plain application/json (`unsupported_media_type`). */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This server does not answer to that host name (`misdirected_host`). */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is invalid (`invalid_body`). A parameter is invalid (`invalid_parameter`). The request is refused (`refused`). The key was used for another request (`idempotency_key_reused`). */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests (`too_many_requests`). */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Yudai failed: this is our fault (`internal`). */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database or artifact store is temporarily unavailable (`store_unavailable`). The engine is temporarily unavailable (`engine_unavailable`). The forge is temporarily unavailable (`forge_unavailable`). Sandboxes are temporarily unavailable (`sandbox_unavailable`). */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getMetrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain; version=0.0.4; charset=utf-8": string;
                };
            };
            /** @description This needs a login or a key (`unauthenticated`). */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`forbidden`). Another site's page may not do this (`cross_origin`). */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large (`too_large`). */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This server does not answer to that host name (`misdirected_host`). */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests (`too_many_requests`). */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Yudai failed: this is our fault (`internal`). */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database or artifact store is temporarily unavailable (`store_unavailable`). The engine is temporarily unavailable (`engine_unavailable`). The forge is temporarily unavailable (`forge_unavailable`). Sandboxes are temporarily unavailable (`sandbox_unavailable`). */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getLive: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
            /** @description The body is too large (`too_large`). */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This server does not answer to that host name (`misdirected_host`). */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Yudai failed: this is our fault (`internal`). */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database or artifact store is temporarily unavailable (`store_unavailable`). The engine is temporarily unavailable (`engine_unavailable`). The forge is temporarily unavailable (`forge_unavailable`). Sandboxes are temporarily unavailable (`sandbox_unavailable`). */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getReady: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
            /** @description The body is too large (`too_large`). */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This server does not answer to that host name (`misdirected_host`). */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Yudai failed: this is our fault (`internal`). */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database or artifact store is temporarily unavailable (`store_unavailable`). The engine is temporarily unavailable (`engine_unavailable`). The forge is temporarily unavailable (`forge_unavailable`). Sandboxes are temporarily unavailable (`sandbox_unavailable`). */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    beginLogin: {
        parameters: {
            query?: {
                /** @description A path of the page; anything else redirects to its start. */
                return_to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Redirect to the next page. */
            303: {
                headers: {
                    Location?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description This needs a login or a key (`unauthenticated`). */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`forbidden`). Another site's page may not do this (`cross_origin`). */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This server has no login. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large (`too_large`). */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This server does not answer to that host name (`misdirected_host`). */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is invalid (`invalid_body`). A parameter is invalid (`invalid_parameter`). The request is refused (`refused`). The key was used for another request (`idempotency_key_reused`). */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests (`too_many_requests`). */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Yudai failed: this is our fault (`internal`). */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database or artifact store is temporarily unavailable (`store_unavailable`). The engine is temporarily unavailable (`engine_unavailable`). The forge is temporarily unavailable (`forge_unavailable`). Sandboxes are temporarily unavailable (`sandbox_unavailable`). */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    finishLogin: {
        parameters: {
            query?: {
                state?: string;
                code?: string;
                error?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Redirect to the next page. */
            303: {
                headers: {
                    Location?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description This needs a login or a key (`unauthenticated`). */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`forbidden`). Another site's page may not do this (`cross_origin`). */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This server has no login. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large (`too_large`). */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This server does not answer to that host name (`misdirected_host`). */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is invalid (`invalid_body`). A parameter is invalid (`invalid_parameter`). The request is refused (`refused`). The key was used for another request (`idempotency_key_reused`). */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests (`too_many_requests`). */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Yudai failed: this is our fault (`internal`). */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database or artifact store is temporarily unavailable (`store_unavailable`). The engine is temporarily unavailable (`engine_unavailable`). The forge is temporarily unavailable (`forge_unavailable`). Sandboxes are temporarily unavailable (`sandbox_unavailable`). */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    solve: {
        parameters: {
            query?: never;
            header?: {
                /** @description Requests with the same key and body are executed once. */
                "Idempotency-Key"?: string | null;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SolveAsk"];
            };
        };
        responses: {
            /** @description The solve is stored and will run. */
            202: {
                headers: {
                    /** @description Path to read it from. */
                    Location?: string;
                    /** @description `true` if an earlier request with this key created it. */
                    "Idempotency-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SolveSummary"];
                };
            };
            /** @description The body is not JSON (`malformed_body`). */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This needs a login or a key (`unauthenticated`). */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`forbidden`). Another site's page may not do this (`cross_origin`). */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large (`too_large`). */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body has to be plain application/json (`unsupported_media_type`). */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This server does not answer to that host name (`misdirected_host`). */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is invalid (`invalid_body`). A parameter is invalid (`invalid_parameter`). The request is refused (`refused`). The key was used for another request (`idempotency_key_reused`). */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests (`too_many_requests`). */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Yudai failed: this is our fault (`internal`). */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database or artifact store is temporarily unavailable (`store_unavailable`). The engine is temporarily unavailable (`engine_unavailable`). The forge is temporarily unavailable (`forge_unavailable`). Sandboxes are temporarily unavailable (`sandbox_unavailable`). */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getSolveStatus: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                solve_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SolveSummary"];
                };
            };
            /** @description This needs a login or a key (`unauthenticated`). */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this (`forbidden`). Another site's page may not do this (`cross_origin`). */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Not found (`not_found`). The run has not reached this yet, or ended before (`not_yet`). */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large (`too_large`). */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description This server does not answer to that host name (`misdirected_host`). */
            421: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is invalid (`invalid_body`). A parameter is invalid (`invalid_parameter`). The request is refused (`refused`). The key was used for another request (`idempotency_key_reused`). */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests (`too_many_requests`). */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Yudai failed: this is our fault (`internal`). */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The database or artifact store is temporarily unavailable (`store_unavailable`). The engine is temporarily unavailable (`engine_unavailable`). The forge is temporarily unavailable (`forge_unavailable`). Sandboxes are temporarily unavailable (`sandbox_unavailable`). */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
}

package planner

// ProtectedAlways are the paths no unit may create, change or delete unless its
// ticket's may_change lifts them: what builds and judges the work, what instructs
// agents, and what governs wf itself.
var ProtectedAlways = []string{
	// build and CI
	"**/Makefile", "**/GNUmakefile", "**/*.mk", "**/Dockerfile", "**/Dockerfile.*", "**/docker-compose*.yml", "**/docker-compose*.yaml", "**/compose.yaml",
	"**/Justfile", "**/justfile", "**/Taskfile.yml", "**/Taskfile.yaml", "**/Rakefile", "**/CMakeLists.txt", "**/BUILD", "**/BUILD.bazel", "**/WORKSPACE", "**/MODULE.bazel",
	".github/**", ".gitlab-ci.yml", ".gitlab/**", ".circleci/**", ".buildkite/**", ".ci/**", "azure-pipelines.yml", "Jenkinsfile", "action.yml", "action.yaml",
	"**/.pre-commit-config.yaml", "**/.golangci.y*ml", "**/.eslintrc*", "**/eslint.config.*", "**/tsconfig*.json", "**/jest.config.*", "**/vitest.config.*", "**/pytest.ini", "**/tox.ini", "**/noxfile.py", "**/conftest.py",
	"**/.gitattributes", "**/.gitmodules", "**/.gitignore", "**/CODEOWNERS",
	// manifests and lockfiles
	"**/go.mod", "**/go.sum", "**/go.work", "**/go.work.sum", "**/package.json", "**/package-lock.json", "**/npm-shrinkwrap.json", "**/yarn.lock", "**/pnpm-lock.yaml", "**/pnpm-workspace.yaml", "**/bun.lock", "**/bun.lockb", "**/deno.json", "**/deno.lock", "**/.npmrc",
	"**/Cargo.toml", "**/Cargo.lock", "**/pyproject.toml", "**/setup.py", "**/setup.cfg", "**/requirements*.txt", "**/poetry.lock", "**/uv.lock", "**/Pipfile", "**/Pipfile.lock",
	"**/Gemfile", "**/Gemfile.lock", "**/composer.json", "**/composer.lock", "**/pom.xml", "**/build.gradle", "**/build.gradle.kts", "**/settings.gradle*", "**/gradle.properties", "**/*.csproj", "**/packages.lock.json", "**/mix.exs", "**/mix.lock", "**/flake.nix", "**/flake.lock",
	// instructions and configuration of agents
	"**/CLAUDE.md", "**/CLAUDE.local.md", "**/AGENTS.md", "**/GEMINI.md", "**/.mcp.json", "**/.claude/**", "**/.codex/**", "**/.gemini/**", "**/.opencode/**", "**/opencode.json", "**/.cursor/**", "**/.cursorrules", ".github/copilot-instructions.md",
	// wf itself
	"**/policies/**", "**/workflows/**", "**/wf.yaml", "**/wf.lock",
}

// ProtectedTests are protected like the others, but what is new under them is
// free: a unit may add a test and may not weaken one.
var ProtectedTests = []string{
	"**/*_test.go", "**/testdata/**", "**/test_*.py", "**/*_test.py", "**/tests/**", "**/test/**", "**/__tests__/**", "**/spec/**",
	"**/*.test.*", "**/*.spec.*", "**/*_spec.rb", "**/*Test.java", "**/*Tests.java", "**/*Test.kt", "**/*Tests.cs", "**/*_test.exs", "**/__snapshots__/**",
}

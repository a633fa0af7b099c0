import tseslint from "typescript-eslint";

const LETTERS = "[A-Za-z\\u3040-\\u30ff\\u4e00-\\u9fff]";

export default tseslint.config(
    { ignores: ["dist/**", "node_modules/**", "src/api/openapi.d.ts"] },
    ...tseslint.configs.strict,
    {
        files: ["src/**/*.{ts,tsx}"],
        rules: {
            eqeqeq: ["error", "smart"],
            "max-lines": ["error", { max: 200 }],
            "no-console": "error",
            "no-restricted-syntax": [
                "error",
                {
                    selector: `JSXText[value=/${LETTERS}/]`,
                    message: "Words belong into src/i18n/words, in both languages.",
                },
                {
                    selector: `JSXAttribute[name.name=/^(title|placeholder|aria-label|alt)$/] > Literal[value=/${LETTERS}/]`,
                    message: "Words belong into src/i18n/words, in both languages.",
                },
                {
                    selector: "JSXAttribute[name.name='dangerouslySetInnerHTML']",
                    message: "Text of a log is never HTML.",
                },
                {
                    selector: "MemberExpression[property.name=/^(innerHTML|outerHTML|insertAdjacentHTML)$/]",
                    message: "Text of a log is never HTML.",
                },
            ],
            "@typescript-eslint/no-invalid-void-type": "off",
            "@typescript-eslint/no-dynamic-delete": "off",
        },
    },
);

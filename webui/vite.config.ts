import { defineConfig } from "vitest/config";

// AZEKURA_API: where a running azekura-web listens, for `npm run dev`.
const api = process.env.AZEKURA_API ?? "http://127.0.0.1:8080";

export default defineConfig({
    esbuild: { jsx: "automatic", jsxImportSource: "preact" },
    server: {
        proxy: { "/api": { target: api, changeOrigin: true } },
        // tests read the table of settings, and the names of failed handshakes
        fs: { allow: [".", "../firmware/config", "../firmware/net"] },
    },
    build: {
        target: "es2020",
        // The Content-Security-Policy allows nothing inline, so small files are not turned into data: URLs.
        assetsInlineLimit: 0,
        modulePreload: { polyfill: false },
        reportCompressedSize: false,
    },
    css: { modules: { generateScopedName: "[name]_[local]_[hash:base64:4]" } },
    // a machine that has much else to do is slower, not wrong
    test: { include: ["src/**/*.test.ts"], environment: "node", testTimeout: 60_000 },
});

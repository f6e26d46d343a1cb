// The numbers of float32 GELU on the CPU; made by gelu_coefficients.py.
#pragma once

namespace gradlab {

// A function of a >= 0 in eight pieces: for a <= end it is the sum of rows[p][k] * u^p with k = round(a / width) and
// u = a - width * k.
template <int degree>
struct PiecewisePolynomial {
  float width, end;
  float rows[degree + 1][8];
};

// 1 - cdf(a), within 3e-8; at `end` it is below 2^-26.
inline constexpr PiecewisePolynomial<6> kTail{
    0.75f, 5.62f,
    {
        {0x1.000000p-1f, 0x1.d02200p-3f, 0x1.11a46ep-4f, 0x1.909250p-7f, 0x1.61de20p-10f, 0x1.72d956p-14f, 0x1.c80728p-19f, 0x1.46a16cp-24f},
        {-0x1.98844cp-2f, -0x1.345d66p-2f, -0x1.09409cp-3f, -0x1.0402b6p-5f, -0x1.2271a4p-8f, -0x1.71bb98p-12f, -0x1.0c3676p-16f, -0x1.bb9796p-22f},
        {0.0f, 0x1.ce8bf6p-4f, 0x1.8de0d6p-4f, 0x1.248342p-5f, 0x1.b3aae6p-8f, 0x1.5a9d98p-11f, 0x1.2db0d8p-15f, 0x1.22f1e4p-20f},
        {0x1.104aa4p-4f, 0x1.67da3cp-6f, -0x1.b9ee24p-6f, -0x1.602bd0p-6f, -0x1.835baep-8f, -0x1.9230e6p-11f, -0x1.acc13cp-15f, -0x1.e65ae6p-20f},
        {0.0f, -0x1.77bcdap-6f, -0x1.8e1254p-8f, 0x1.922ad6p-8f, 0x1.b3c420p-9f, 0x1.3f89e8p-11f, 0x1.b139d6p-15f, 0x1.28bbacp-19f},
        {-0x1.3ebb42p-7f, 0x1.10c6dcp-14f, 0x1.77b114p-8f, 0x1.136736p-11f, -0x1.1cee1ep-10f, -0x1.6e3d10p-12f, -0x1.59f2d2p-15f, -0x1.31e150p-19f},
        {0.0f, 0x1.851e6ap-9f, -0x1.42ad20p-11f, -0x1.01c9f8p-10f, 0x1.a42594p-14f, 0x1.15aef6p-13f, 0x1.81a220p-16f, 0x1.af6da6p-20f},
    }};

// 1 - cdf(a) - a pdf(a), within 2e-8; from `end` on it is below 2e-9.
inline constexpr PiecewisePolynomial<7> kSlope{
    0.875f, 6.55f,
    {
        {0x1.000000p-1f, -0x1.8329d4p-5f, -0x1.c65a84p-4f, -0x1.dc4238p-6f, -0x1.71da9ap-9f, -0x1.e54a86p-14f, -0x1.18b28ap-19f, -0x1.23d21ap-26f},
        {-0x1.988452p-1f, -0x1.57e0a6p-2f, 0x1.777a9ap-4f, 0x1.fdc818p-5f, 0x1.251c14p-7f, 0x1.f444a2p-12f, 0x1.621cfap-17f, 0x1.b26154p-24f},
        {0.0f, 0x1.8a3494p-2f, 0x1.21e6bep-4f, -0x1.8b79e0p-5f, -0x1.9cd9b8p-7f, -0x1.e34fa2p-11f, -0x1.ac84ecp-16f, -0x1.3a5052p-22f},
        {0x1.1057b4p-2f, -0x1.1f2fdep-5f, -0x1.daa49ep-4f, 0x1.c33090p-8f, 0x1.459448p-7f, 0x1.1f740cp-10f, 0x1.4973b8p-15f, 0x1.24d48ap-21f},
        {0.0f, -0x1.9cb3a0p-4f, 0x1.449f30p-5f, 0x1.d7585ep-7f, -0x1.161eaep-8f, -0x1.ceb574p-11f, -0x1.660cb8p-15f, -0x1.851802p-21f},
        {-0x1.e9cd34p-5f, 0x1.c16bccp-6f, 0x1.8d807ap-7f, -0x1.586a24p-7f, 0x1.4ebcbcp-12f, 0x1.00ad58p-11f, 0x1.253f72p-15f, 0x1.974580p-21f},
        {0.0f, 0x1.d0c05ep-7f, -0x1.663758p-7f, 0x1.e6f20cp-10f, 0x1.968e78p-11f, -0x1.63fc4cp-13f, -0x1.874120p-16f, -0x1.848a4cp-21f},
        {0x1.29235ep-7f, -0x1.873940p-8f, 0x1.d7897cp-11f, 0x1.f0acbcp-11f, -0x1.d12736p-12f, 0x1.6489a6p-16f, 0x1.6a8288p-17f, 0x1.f2c4eap-22f},
    }};

}  // namespace gradlab
